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
    private static final Map<String, Function<ClientEnvironment, CommandLine>> MAKERS = makers();

    private ClientCommands() {}

    private static Map<String, Function<ClientEnvironment, CommandLine>> makers() {
        Map<String, Function<ClientEnvironment, CommandLine>> makers = new LinkedHashMap<>();
        makers.put(
                "lock", clientEnvironment -> new CommandLine(new LockCommand(clientEnvironment)));
        makers.put("sem", clientEnvironment -> new CommandLine(new SemCommand(clientEnvironment)));
        makers.put(
                "lead", clientEnvironment -> new CommandLine(new LeadCommand(clientEnvironment)));
        makers.put(
                "signal",
                clientEnvironment -> new CommandLine(new SignalCommand(clientEnvironment)));
        makers.put(
                "listen",
                clientEnvironment -> new CommandLine(new ListenCommand(clientEnvironment)));
        makers.put("kv", KvCommand::create);
        makers.put("counter", CounterCommand::create);
        makers.put("list", ItemListCommand::create);
        makers.put(
                "info",
                clientEnvironment -> new CommandLine(new KeyInfoCommand(clientEnvironment)));
        makers.put(
                "stats", clientEnvironment -> new CommandLine(new StatsCommand(clientEnvironment)));
        return Collections.unmodifiableMap(makers);
    }

    /** Returns the commands in the order of the help. */
    public static Map<String, Supplier<CommandLine>> all(Map<String, String> environment) {
        return all(new ClientEnvironment(environment, ServerTarget::connect));
    }

    static Map<String, Supplier<CommandLine>> all(ClientEnvironment clientEnvironment) {
        Map<String, Supplier<CommandLine>> commands = new LinkedHashMap<>();
        MAKERS.forEach(
                (name, maker) ->
                        commands.put(name, () -> configured(maker.apply(clientEnvironment))));
        return commands;
    }

    private static CommandLine configured(CommandLine line) {
        return line.setOverwrittenOptionsAllowed(true)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(UsageError::printShort);
    }
}
