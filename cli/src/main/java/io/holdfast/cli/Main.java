package io.holdfast.cli;

import io.holdfast.cli.bench.BenchCommand;
import io.holdfast.cli.file.FileCommand;
import io.holdfast.cli.serve.DflockdCommand;
import io.holdfast.cli.serve.LockdCommand;
import io.holdfast.cli.serve.ServeCommand;
import io.holdfast.cli.serve.SocketlockdCommand;
import io.holdfast.cli.soak.SoakCommand;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

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
        if (!words.isEmpty() && words.getFirst().equals("dflockd")) {
            return DflockdCommand.run(words.subList(1, words.size()), environment, Version.line());
        }
        if (!words.isEmpty() && words.getFirst().equals("lockd")) {
            return LockdCommand.run(words.subList(1, words.size()), Version.line());
        }
        if (!words.isEmpty() && words.getFirst().equals("socketlockd")) {
            return SocketlockdCommand.run(words.subList(1, words.size()), Version.line());
        }
        return commandLine(environment).execute(words.toArray(String[]::new));
    }

    static CommandLine commandLine(Map<String, String> environment) {
        CommandLine line = new CommandLine(new Main());
        IParameterExceptionHandler usual = line.getParameterExceptionHandler();
        // Only the root's is asked; serve has its own, set before it is added.
        line.setParameterExceptionHandler(
                (e, words) -> {
                    CommandLine failed = e.getCommandLine();
                    return (failed.getParent() == null
                                    ? usual
                                    : failed.getParameterExceptionHandler())
                            .handleParseException(e, words);
                });
        line.addSubcommand(ServeCommand.create(environment))
                .addSubcommand(new DflockdEntry())
                .addSubcommand(new LockdEntry())
                .addSubcommand(new SocketlockdEntry())
                .addSubcommand(FileCommand.create())
                .addSubcommand(new BenchCommand())
                .addSubcommand(new SoakCommand())
                .addSubcommand(new TrainCommand());
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
