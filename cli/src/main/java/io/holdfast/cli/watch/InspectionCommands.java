package io.holdfast.cli.watch;

import io.holdfast.console.options.UsageError;

import picocli.CommandLine;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** All commands of this package, by name; each is created when it is needed. */
public final class InspectionCommands {
    private InspectionCommands() {}

    /** Returns the commands in the order of the help. */
    public static Map<String, Supplier<CommandLine>> all(Map<String, String> environment) {
        Map<String, Supplier<CommandLine>> commands = new LinkedHashMap<>();
        commands.put("top", () -> configured(new TopCommand(environment)));
        commands.put("explain", () -> configured(new ExplainCommand(environment)));
        return commands;
    }

    private static CommandLine configured(InspectionCommand command) {
        return new CommandLine(command)
                .setOverwrittenOptionsAllowed(true)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(UsageError::printShort);
    }
}
