package io.holdfast.cli;

import io.holdfast.cli.client.ClientCommands;
import io.holdfast.cli.cluster.ClusterCommand;
import io.holdfast.cli.file.FileCommand;
import io.holdfast.cli.serve.DflockdCommand;
import io.holdfast.cli.serve.LockdCommand;
import io.holdfast.cli.serve.ServeCommand;
import io.holdfast.cli.serve.SocketlockdCommand;
import io.holdfast.cli.watch.InspectionCommands;
import io.holdfast.console.options.Converters;
import io.holdfast.console.output.Printer;
import io.holdfast.console.output.StandardOutput;
import io.holdfast.driver.FailureText;
import io.holdfast.verification.bench.BenchCommand;
import io.holdfast.verification.soak.SoakCommand;
import io.holdfast.verification.training.AotTrainingCommand;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** The entry point of every command. */
@Command(
        name = "holdfast",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Versions.class,
        synopsisSubcommandLabel = "COMMAND",
        description =
                "A lock and coordination server that speaks the protocols of dflockd, lockd and"
                        + " socketlock.",
        footer = {"", "holdfast help COMMAND shows the options of a command."})
public final class Main implements Runnable {
    static final class Versions implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {Version.line()};
        }
    }

    /** Only lists the command in the help: {@link #run(List, Map)} parses its Go-style flags. */
    @Command(
            name = "dflockd",
            description = "Runs the server with dflockd's flags, variables and defaults.")
    static final class DflockdEntry implements Runnable {
        @Override
        public void run() {}
    }

    /** Only lists the command in the help; it takes the options of lockd and glockd. */
    @Command(
            name = "lockd",
            description = "Runs the server with lockd's options, for lockd and glockd clients.")
    static final class LockdEntry implements Runnable {
        @Override
        public void run() {}
    }

    /** Only lists the command in the help; it takes the flags of socketlockd. */
    @Command(
            name = "socketlockd",
            description = "Runs the server with socketlockd's flags, for socketlock clients.")
    static final class SocketlockdEntry implements Runnable {
        @Override
        public void run() {}
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(commandLine(Map.of()), "a command is missing");
    }

    public static void main(String[] args) {
        StandardOutput.watch();
        System.exit(run(Arrays.asList(args), System.getenv()));
    }

    /** Returns the exit status. */
    static int run(List<String> args, Map<String, String> environment) {
        String command = args.isEmpty() ? "" : args.getFirst();
        List<String> rest = args.isEmpty() ? args : helpAsFlag(args.subList(1, args.size()));
        return switch (command) {
            case "dflockd" ->
                    StandardOutput.check(DflockdCommand.run(rest, environment, Version.line()));
            case "lockd" -> StandardOutput.check(LockdCommand.run(rest, Version.line()));
            case "socketlockd" ->
                    StandardOutput.check(SocketlockdCommand.run(rest, Version.line()));
            default -> commandLine(command, environment).execute(args.toArray(String[]::new));
        };
    }

    /**
     * {@code dflockd help} prints the help, and {@code dflockd version} the version: their flag
     * parsers ignore words, so a server would start.
     */
    private static List<String> helpAsFlag(List<String> args) {
        return args.equals(List.of("help")) || args.equals(List.of("version"))
                ? List.of("--" + args.getFirst())
                : args;
    }

    /** Creates only the given command if it is known, because creating all of them is slow. */
    private static CommandLine commandLine(String command, Map<String, String> environment) {
        Map<String, Supplier<CommandLine>> all = commands(environment);
        Supplier<CommandLine> one = all.get(command);
        return commandLineOf(one == null ? all : Map.of(command, one));
    }

    static CommandLine commandLine(Map<String, String> environment) {
        return commandLineOf(commands(environment));
    }

    private static Map<String, Supplier<CommandLine>> commands(Map<String, String> environment) {
        Map<String, Supplier<CommandLine>> commands = new LinkedHashMap<>();
        commands.put("serve", () -> ServeCommand.create(environment));
        commands.putAll(ClientCommands.all(environment));
        commands.putAll(InspectionCommands.all(environment));
        commands.put("file", FileCommand::create);
        commands.put("cluster", () -> ClusterCommand.create(environment));
        commands.put("dflockd", () -> new CommandLine(new DflockdEntry()));
        commands.put("lockd", () -> new CommandLine(new LockdEntry()));
        commands.put("socketlockd", () -> new CommandLine(new SocketlockdEntry()));
        commands.put("bench", () -> new CommandLine(new BenchCommand(environment)));
        commands.put("soak", () -> new CommandLine(new SoakCommand(environment, Main.class)));
        commands.put("completion", () -> new CommandLine(new CompletionCommand()));
        commands.put("help", () -> new CommandLine(new HelpCommand()));
        commands.put("version", () -> new CommandLine(new VersionCommand()));
        commands.put("train", () -> new CommandLine(new AotTrainingCommand(Main::run)));
        return commands;
    }

    private static CommandLine commandLineOf(Map<String, Supplier<CommandLine>> commands) {
        CommandLine line = new CommandLine(new Main());
        IParameterExceptionHandler defaultHandler = line.getParameterExceptionHandler();
        // picocli calls the root's handler only; delegate to the one that the command was created
        // with.
        line.setParameterExceptionHandler(
                (e, args) -> {
                    CommandLine failed = e.getCommandLine();
                    if (failed.getParent() == null
                            && e instanceof CommandLine.UnmatchedArgumentException unmatched
                            && !unmatched.isUnknownOption()) {
                        return unknownCommand(unmatched);
                    }
                    return (failed.getParent() == null
                                    ? defaultHandler
                                    : failed.getParameterExceptionHandler())
                            .handleParseException(e, args);
                });
        commands.forEach((name, command) -> line.addSubcommand(name, command.get()));
        line.setExecutionStrategy(Main::execute);
        line.setExecutionExceptionHandler(Main::failed);
        Converters.register(line);
        line.setExpandAtFiles(false); // a key, or an argument of a command to run, may begin with @
        addVersionOption(line.getSubcommands());
        return line;
    }

    private static int unknownCommand(CommandLine.UnmatchedArgumentException e) {
        PrintWriter err = e.getCommandLine().getErr();
        err.println("unknown command: '" + e.getUnmatched().getFirst() + "'");
        CommandLine.UnmatchedArgumentException.printSuggestions(e, err);
        err.println("Run 'holdfast help' for the list of commands.");
        return CommandLine.ExitCode.USAGE;
    }

    private static int execute(ParseResult parsed) {
        return StandardOutput.check(new CommandLine.RunLast().execute(parsed));
    }

    /** Handles an exception that the command has not handled. */
    private static int failed(Exception e, CommandLine command, ParseResult parsed) {
        Printer.err("Error: " + FailureText.withFile(e));
        return command.getCommandSpec().exitCodeOnExecutionException();
    }

    private static void addVersionOption(Map<String, CommandLine> commands) {
        for (CommandLine command : commands.values()) {
            addVersionOption(command.getCommandSpec());
            addVersionOption(command.getSubcommands());
        }
    }

    private static void addVersionOption(CommandSpec command) {
        command.versionProvider(new Versions());
        if (command.findOption("--version") == null) {
            command.addOption(
                    OptionSpec.builder("--version")
                            .versionHelp(true)
                            .description("Print version information and exit.")
                            .build());
        }
    }
}
