package io.holdfast.cli.file;

import io.holdfast.console.options.DurationConverter;
import io.holdfast.console.options.Durations;
import io.holdfast.console.options.ExitStatusConverter;
import io.holdfast.console.options.TrailingCommand;
import io.holdfast.console.options.UsageError;
import io.holdfast.console.options.WholeNumbers;
import io.holdfast.lockfile.LockFileConfig;
import io.holdfast.lockfile.StalePolicy;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Stack;

/** {@code holdfast file}: the options that all commands share. */
@Command(
        name = "file",
        scope = ScopeType.INHERIT,
        mixinStandardHelpOptions = true,
        sortOptions = false,
        abbreviateSynopsis = true,
        synopsisSubcommandLabel = "COMMAND PATH",
        subcommands = {
            FileTryCommand.class,
            FileAcquireCommand.class,
            FileReleaseCommand.class,
            FileStatusCommand.class,
            FileWaitCommand.class,
            FileCleanCommand.class,
            FileRunCommand.class
        },
        description = "Acquires, releases and shows lock files.",
        optionListHeading = "%nOptions:%n",
        commandListHeading = "%nCommands:%n",
        exitCodeOnExecutionException = 3,
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:done, or the lock is free",
            "1:the lock is held, or the timeout has passed",
            "2:wrong usage, nothing was done",
            "3:the path or the file system cannot be used"
        },
        footer = {
            "",
            "TIME is in seconds, like 5 or 0.5, or has a unit: 500ms, 2s, 5m, 1h.",
            "Arguments after -- are not options."
        })
public final class FileCommand implements Runnable {
    private static final String DEFAULT_SETTLE = "30ms";
    private static final Duration MIN_STALE = Duration.ofSeconds(1);
    private static final long MAX_PID = 4294967295L;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = "--timeout",
            scope = ScopeType.INHERIT,
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description =
                    "acquire, wait, run: timeout of the wait (default: no timeout). Seconds, not"
                            + " milliseconds; 0 is one attempt.")
    private @Nullable Duration timeout;

    @Option(
            names = "--stale",
            scope = ScopeType.INHERIT,
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description =
                    "A lock older than this is stale (default: 1h). 0: a lock is never stale.")
    private @Nullable Duration stale;

    @Option(
            names = "--stale-policy",
            scope = ScopeType.INHERIT,
            paramLabel = "POLICY",
            converter = StalePolicyConverter.class,
            description =
                    "When a stale lock may be taken over: age, or age-and-dead: only if its process"
                            + " is not known to be running (default: age).")
    private @Nullable StalePolicy stalePolicy;

    @Option(
            names = {"-t", "--tag"},
            scope = ScopeType.INHERIT,
            paramLabel = "TEXT",
            description = "try, acquire, run: a text to store in the lock file.")
    private @Nullable String tag;

    @Option(
            names = "--pid",
            scope = ScopeType.INHERIT,
            paramLabel = "N",
            converter = Pid.class,
            description =
                    "try, acquire, run: the process to store as the holder (default: this one)."
                            + " release: only if the file names this process.")
    private @Nullable Long pid;

    @Option(
            names = "--nonce",
            scope = ScopeType.INHERIT,
            paramLabel = "HEX",
            converter = Nonce.class,
            description = "release: only if the lock has this nonce, as printed by acquire --json.")
    private @Nullable String nonce;

    @Option(
            names = {"-f", "--force"},
            scope = ScopeType.INHERIT,
            defaultValue = "false",
            description =
                    "release: also remove a file that is not a lock file, or a symbolic link.")
    private boolean force;

    @Option(
            names = "--settle",
            scope = ScopeType.INHERIT,
            arity = "0..1",
            paramLabel = "TIME",
            fallbackValue = DEFAULT_SETTLE,
            converter = DurationConverter.class,
            preprocessor = SettleValue.class,
            description =
                    "try, acquire, run: after this time, check that no other program has"
                        + " overwritten the lock (default: 0, no check; 30ms if no TIME is given).")
    private @Nullable Duration settle;

    @Option(
            names = "--conflict-exit-code",
            scope = ScopeType.INHERIT,
            paramLabel = "N",
            converter = ExitStatusConverter.class,
            description = "run: the exit status if the lock was not acquired (default: 1).")
    private @Nullable Integer conflictStatus;

    @Option(
            names = {"-j", "--json"},
            scope = ScopeType.INHERIT,
            defaultValue = "false",
            description = "Print the result as one line of JSON on standard output.")
    private boolean json;

    @Option(
            names = {"-q", "--quiet"},
            scope = ScopeType.INHERIT,
            defaultValue = "false",
            description =
                    "Print nothing on success or if the lock is held; status and errors are still"
                            + " printed.")
    private boolean quiet;

    @Option(
            names = {"-v", "--verbose"},
            scope = ScopeType.INHERIT,
            defaultValue = "false",
            description = "Log progress to standard error.")
    private boolean verbose;

    private FileCommand() {}

    /** Creates the command, to be added to the root command. */
    public static CommandLine create() {
        CommandLine line = new CommandLine(new FileCommand());
        line.setOverwrittenOptionsAllowed(true);
        line.setParameterExceptionHandler(UsageError::print);
        return line;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "A command is missing");
    }

    /** Rejects options that do not apply to this command or contradict each other. */
    void check(CommandSpec command) {
        belongsTo("release", command, nonce != null, "--nonce");
        belongsTo("release", command, force, "--force");
        belongsTo("run", command, conflictStatus != null, "--conflict-exit-code");
        if (stale != null && !stale.isZero() && stale.compareTo(MIN_STALE) < 0) {
            throw new ParameterException(
                    command.commandLine(),
                    "--stale must be at least 1s, because age is counted in whole seconds; 0 means"
                            + " never stale");
        }
        if (tag != null && !TrailingCommand.isText(tag)) {
            throw TrailingCommand.noText(command, tag);
        }
        boolean credential = nonce != null || pid != null;
        if (command.name().equals("release")
                && ((force && credential) || (nonce != null && pid != null))) {
            throw new ParameterException(
                    command.commandLine(), "Give only one of --nonce, --pid and --force");
        }
    }

    private static void belongsTo(String owner, CommandSpec command, boolean given, String option) {
        if (given && !command.name().equals(owner)) {
            throw new ParameterException(
                    command.commandLine(), "Option " + option + " is for " + owner + " only");
        }
    }

    FileCommandReport report(String path) {
        return new FileCommandReport(path, json, quiet, verbose);
    }

    LockFileConfig.Builder config(FileCommandReport fileCommandReport) {
        LockFileConfig.Builder config =
                LockFileConfig.builder()
                        .onWarning(fileCommandReport::warning)
                        .onLost(lost -> fileCommandReport.alarm("Lock lost: " + lost.getMessage()));
        if (stale != null) {
            if (stale.isZero()) {
                config.neverStale();
            } else {
                config.staleTimeout(stale);
            }
        }
        if (stalePolicy != null) {
            config.stalePolicy(stalePolicy);
        }
        if (timeout != null) {
            config.acquireTimeout(timeout);
        }
        if (tag != null) {
            config.tag(tag);
        }
        if (pid != null) {
            config.pid(pid);
        }
        if (settle != null) {
            config.settleTime(settle);
        }
        return config;
    }

    @Nullable Duration timeout() {
        return timeout;
    }

    Optional<Long> pid() {
        return Optional.ofNullable(pid);
    }

    Optional<String> nonce() {
        return Optional.ofNullable(nonce);
    }

    boolean force() {
        return force;
    }

    Optional<Integer> conflictStatus() {
        return Optional.ofNullable(conflictStatus);
    }

    private static final class StalePolicyConverter implements ITypeConverter<StalePolicy> {
        @Override
        public StalePolicy convert(String text) {
            return switch (text) {
                case "age" -> StalePolicy.AGE;
                case "age-and-dead" -> StalePolicy.AGE_AND_DEAD;
                default ->
                        throw new TypeConversionException(
                                "'" + text + "' is neither age nor age-and-dead");
            };
        }
    }

    private static final class Pid implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return WholeNumbers.convert(text, MAX_PID);
        }
    }

    /** Rejects an empty nonce, which an unset variable of a script would give. */
    private static final class Nonce implements ITypeConverter<String> {
        @Override
        public String convert(String text) {
            if (!text.matches("[0-9a-fA-F]+")) {
                throw new TypeConversionException("'" + text + "' is not a hexadecimal number");
            }
            return text;
        }
    }

    /** The next argument belongs to the option only if it is a duration; it may be the path. */
    private static final class SettleValue implements IParameterPreprocessor {
        @Override
        @SuppressWarnings("JdkObsolete") // picocli's stack
        public boolean preprocess(
                Stack<String> arguments,
                CommandSpec command,
                ArgSpec option,
                Map<String, Object> info) {
            boolean attached = "=".equals(info.get("separator"));
            if (!attached && (arguments.isEmpty() || Durations.parse(arguments.peek()).isEmpty())) {
                arguments.push(DEFAULT_SETTLE);
            }
            return false;
        }
    }
}
