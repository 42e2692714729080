package io.holdfast.cli.client;

import io.holdfast.console.options.UsageError;

import picocli.CommandLine;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/** All commands of this package, by name; each is created when it is needed. */
public final class ClientCommands {
    private static final Map<String, Function<CommandContext, CommandLine>> MAKERS = makers();

    private ClientCommands() {}

    private static Map<String, Function<CommandContext, CommandLine>> makers() {
        Map<String, Function<CommandContext, CommandLine>> makers = new LinkedHashMap<>();
        makers.put("lock", commandContext -> new CommandLine(new LockCommand(commandContext)));
        makers.put("sem", commandContext -> new CommandLine(new SemCommand(commandContext)));
        makers.put("lead", commandContext -> new CommandLine(new LeadCommand(commandContext)));
        makers.put("signal", commandContext -> new CommandLine(new SignalCommand(commandContext)));
        makers.put("listen", commandContext -> new CommandLine(new ListenCommand(commandContext)));
        makers.put("kv", KvCommand::create);
        makers.put("counter", CounterCommand::create);
        makers.put("list", ListCommand::create);
        makers.put("info", commandContext -> new CommandLine(new InfoCommand(commandContext)));
        makers.put("stats", commandContext -> new CommandLine(new StatsCommand(commandContext)));
        return Collections.unmodifiableMap(makers);
    }

    /** Returns the commands in the order of the help. */
    public static Map<String, Supplier<CommandLine>> all(Map<String, String> environment) {
        return all(new CommandContext(environment, ServerTarget::connect));
    }

    static Map<String, Supplier<CommandLine>> all(CommandContext commandContext) {
        Map<String, Supplier<CommandLine>> commands = new LinkedHashMap<>();
        MAKERS.forEach(
                (name, maker) -> commands.put(name, () -> configured(maker.apply(commandContext))));
        return commands;
    }

    private static CommandLine configured(CommandLine line) {
        return line.setOverwrittenOptionsAllowed(true)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(UsageError::printShort);
    }
}
