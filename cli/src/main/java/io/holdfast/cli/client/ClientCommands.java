package io.holdfast.cli.client;

import io.holdfast.cli.options.UsageError;

import picocli.CommandLine;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/** All commands of this package, by name; each is made when it is needed. */
public final class ClientCommands {
    private static final Map<String, Function<Context, CommandLine>> MAKERS = makers();

    private ClientCommands() {}

    private static Map<String, Function<Context, CommandLine>> makers() {
        Map<String, Function<Context, CommandLine>> makers = new LinkedHashMap<>();
        makers.put("lock", context -> new CommandLine(new LockCommand(context)));
        makers.put("sem", context -> new CommandLine(new SemCommand(context)));
        makers.put("lead", context -> new CommandLine(new LeadCommand(context)));
        makers.put("signal", context -> new CommandLine(new SignalCommand(context)));
        makers.put("listen", context -> new CommandLine(new ListenCommand(context)));
        makers.put("kv", KvCommand::create);
        makers.put("counter", CounterCommand::create);
        makers.put("list", ListCommand::create);
        makers.put("info", context -> new CommandLine(new InfoCommand(context)));
        makers.put("stats", context -> new CommandLine(new StatsCommand(context)));
        return Collections.unmodifiableMap(makers);
    }

    /** In the order of the help. */
    public static Map<String, Supplier<CommandLine>> all(Map<String, String> environment) {
        return all(new Context(environment, Target::connect));
    }

    static Map<String, Supplier<CommandLine>> all(Context context) {
        Map<String, Supplier<CommandLine>> commands = new LinkedHashMap<>();
        MAKERS.forEach((name, maker) -> commands.put(name, () -> configured(maker.apply(context))));
        return commands;
    }

    private static CommandLine configured(CommandLine line) {
        return line.setOverwrittenOptionsAllowed(true)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(UsageError::printShort);
    }
}
