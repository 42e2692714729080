package io.holdfast.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "help",
        mixinStandardHelpOptions = true,
        description = "Shows the commands, or the options of one command.")
final class HelpCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(
            arity = "0..*",
            paramLabel = "COMMAND",
            description = "The command, like lock or kv get.")
    private List<String> command = List.of();

    /**
     * Runs the command with --help, because picocli does not know the help of the drop-in commands.
     */
    @Override
    public Integer call() {
        CommandLine commandLine = Main.commandLine(Map.of());
        for (String name : command) {
            commandLine = commandLine.getSubcommands().get(name);
            if (commandLine == null) {
                throw new ParameterException(spec.commandLine(), "Unknown command: '" + name + "'");
            }
        }
        List<String> arguments = new ArrayList<>(command);
        arguments.add("--help");
        return Main.run(arguments, Map.of());
    }
}
