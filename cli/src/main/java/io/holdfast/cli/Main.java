package io.holdfast.cli;

import io.holdfast.cli.bench.BenchCommand;
import io.holdfast.cli.client.ClientCommands;
import io.holdfast.cli.cluster.ClusterCommand;
import io.holdfast.cli.file.FileCommand;
import io.holdfast.cli.serve.DflockdCommand;
import io.holdfast.cli.serve.LockdCommand;
import io.holdfast.cli.serve.ServeCommand;
import io.holdfast.cli.serve.SocketlockdCommand;
import io.holdfast.cli.soak.SoakCommand;
import io.holdfast.cli.watch.WatchCommands;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

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
        description = "A lock server that existing lock clients already speak to.",
        footer = {"", "holdfast COMMAND --help tells more about a command."})
public final class Main implements Runnable {
    static final class Versions implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {Version.line()};
        }
    }

    /** Only there so that it is listed: its flags are the original's, which picocli cannot read. */
    @Command(
            name = "dflockd",
            description = "Runs the server with dflockd's flags, variables and defaults.")
    static final class DflockdEntry implements Runnable {
        @Override
        public void run() {}
    }

    /** Likewise: its flags are lockd's and glockd's. */
    @Command(
            name = "lockd",
            description = "Runs the server with lockd's options, for lockd and glockd clients.")
    static final class LockdEntry implements Runnable {
        @Override
        public void run() {}
    }

    /** Likewise: its flags are socketlockd's. */
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

    public static void main(String[] words) {
        System.exit(run(Arrays.asList(words), System.getenv()));
    }

    /** Returns the exit status. */
    static int run(List<String> words, Map<String, String> environment) {
        String command = words.isEmpty() ? "" : words.getFirst();
        List<String> rest = words.isEmpty() ? words : words.subList(1, words.size());
        return switch (command) {
            case "dflockd" -> DflockdCommand.run(rest, environment, Version.line());
            case "lockd" -> LockdCommand.run(rest, Version.line());
            case "socketlockd" -> SocketlockdCommand.run(rest, Version.line());
            default -> commandLine(command, environment).execute(words.toArray(String[]::new));
        };
    }

    /** With one command alone if it is known: to make them all takes time. */
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
        commands.putAll(WatchCommands.all(environment));
        commands.put("file", FileCommand::create);
        commands.put("cluster", () -> ClusterCommand.create(environment));
        commands.put("dflockd", () -> new CommandLine(new DflockdEntry()));
        commands.put("lockd", () -> new CommandLine(new LockdEntry()));
        commands.put("socketlockd", () -> new CommandLine(new SocketlockdEntry()));
        commands.put("bench", () -> new CommandLine(new BenchCommand(environment)));
        commands.put("soak", () -> new CommandLine(new SoakCommand(environment)));
        commands.put("completion", () -> new CommandLine(new CompletionCommand()));
        commands.put("train", () -> new CommandLine(new TrainCommand()));
        return commands;
    }

    private static CommandLine commandLineOf(Map<String, Supplier<CommandLine>> commands) {
        CommandLine line = new CommandLine(new Main());
        IParameterExceptionHandler usual = line.getParameterExceptionHandler();
        // Only the root's is asked; some commands have their own, set before they are added.
        line.setParameterExceptionHandler(
                (e, words) -> {
                    CommandLine failed = e.getCommandLine();
                    return (failed.getParent() == null
                                    ? usual
                                    : failed.getParameterExceptionHandler())
                            .handleParseException(e, words);
                });
        commands.forEach((name, command) -> line.addSubcommand(name, command.get()));
        line.setExpandAtFiles(false); // a lock, or a word of a command to run, may begin with @
        tellVersion(line.getSubcommands());
        return line;
    }

    private static void tellVersion(Map<String, CommandLine> commands) {
        for (CommandLine command : commands.values()) {
            tellVersion(command.getCommandSpec());
            tellVersion(command.getSubcommands());
        }
    }

    private static void tellVersion(CommandSpec command) {
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
