package io.holdfast.verification.soak;

import io.holdfast.console.options.ConnectionOptions;
import io.holdfast.console.options.DurationConverter;
import io.holdfast.console.options.TrustedCertificates;
import io.holdfast.verification.campaign.FaultCampaign;
import io.holdfast.verification.campaign.FaultCampaignOptions;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** {@code holdfast soak}: runs every feature of a server in a loop and checks the responses. */
@Command(
        name = "soak",
        abbreviateSynopsis = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "Runs every feature of a dflockd server in a loop, with concurrent workers, and"
                    + " checks each response.%n",
            "A cycle goes through locks, semaphores, two-phase locks, counters, values and their"
                    + " time to live, signals, queue groups and lists, then checks the"
                    + " server's statistics for anything left over. The first wrong response ends"
                    + " the run with FAIL [test]: reason.%n",
            "With --election it needs no server: processes share a socketlock path, the primary"
                    + " is killed in each round, and the data that the lock protects"
                    + " must stay correct.%n",
            "With --lockfile it needs no server either: processes and shell scripts share a lock"
                    + " file and are killed and suspended, and no two may hold it at once.%n",
            "With --cluster it runs a cluster of its own: nodes are killed, suspended, isolated and"
                    + " restarted while clients use them, and the operations that the clients"
                    + " recorded must meet the guarantees of a cluster."
        },
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:stopped by Ctrl-C, SIGTERM, --cycles, --rounds or --duration, and no check failed",
            "1:a check failed",
            "2:wrong usage, nothing was run"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  holdfast soak --workers 16 --rounds-per-cycle 100",
            "  holdfast soak --server 127.0.0.1:6388 --cycles 10",
            "  holdfast soak --election --rounds 50",
            "  holdfast soak --lockfile --rounds 5 --dir /var/tmp",
            "  holdfast soak --cluster --duration 10m --seed 7"
        })
public final class SoakCommand implements Callable<Integer> {
    private static final int WRONG_USAGE = 2;
    private static final int ROUNDS = 50;
    private static final int LOCK_FILE_ROUNDS = 5;
    private static final int PROCESSES = 8;
    private static final int NODES = 3;
    private static final Duration DURATION = Duration.ofMinutes(5);

    private static final List<String> SERVER_OPTIONS =
            Stream.concat(
                            Stream.of("--server", "--workers", "--rounds-per-cycle", "--cycles"),
                            ConnectionOptions.names().stream())
                    .toList();

    /** How long a signal to end waits for the round in progress. */
    private static final long STOP_SECONDS = 15;

    /**
     * As {@link #STOP_SECONDS} with {@code --cluster}, where the cluster has to recover before it
     * can be checked.
     */
    private static final long STOP_CLUSTER_SECONDS = 120;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = "--server",
            paramLabel = "HOST:PORT[,...]",
            description =
                    "The server (default: 127.0.0.1:6388); of several nodes of a cluster the first"
                            + " that responds is used. Variable: HOLDFAST_SERVER.")
    private @Nullable String server;

    @Option(
            names = "--workers",
            paramLabel = "N",
            description = "Concurrent workers per test (default: ${DEFAULT-VALUE}).")
    private int workers = 4;

    @Option(
            names = "--rounds-per-cycle",
            paramLabel = "N",
            description = "Rounds per worker and test in a cycle (default: ${DEFAULT-VALUE}).")
    private int rounds = 20;

    @Option(
            names = "--cycles",
            paramLabel = "N",
            description = "Stop after N cycles; 0 = unlimited (default: ${DEFAULT-VALUE}).")
    private long cycles = 0;

    @Mixin private ConnectionOptions connection = new ConnectionOptions();

    @Option(
            names = "--election",
            description = "Kill the primary of a socketlock path repeatedly instead.")
    private boolean election;

    @Option(
            names = "--lockfile",
            description = "Kill and suspend processes that share a lock file instead.")
    private boolean lockFile;

    @Option(
            names = "--cluster",
            description = "Inject all kinds of faults into a cluster on this machine instead.")
    private boolean cluster;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description =
                    "Number of rounds. With --election, each kills the primary, and sometimes"
                        + " another process with it (default: 50). With --lockfile, each goes"
                        + " through kills, takeovers, scripts that overwrite, suspended holders and"
                        + " waiters, and takes about a minute (default: 5).")
    private @Nullable Integer ownRounds;

    @Option(
            names = "--processes",
            paramLabel = "N",
            description = "Number of processes with --election or --lockfile (default: 8).")
    private @Nullable Integer processes;

    @Option(
            names = "--dir",
            paramLabel = "PATH",
            description =
                    "With --election, --lockfile or --cluster: create the files below this folder"
                            + " (default: the system's folder of temporary files).")
    private @Nullable Path folder;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description =
                    "With --lockfile or --cluster: seed of the random choices, such as which"
                        + " process to kill and when. Each run prints its seed (default: random).")
    private @Nullable Long seed;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "Duration with --cluster, as in 90s or 10m (default: 5m).")
    private @Nullable Duration duration;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            description = "Number of nodes with --cluster (default: 3).")
    private @Nullable Integer nodes;

    @Option(names = "--help", usageHelp = true, description = "Show this help and exit.")
    @SuppressWarnings("unused") // picocli sets it, prints the help and does not call us
    private boolean help;

    private final Map<String, String> environment;
    private final Class<?> launcher;

    /**
     * @param launcher starts the nodes of the campaign with {@code --cluster}, see {@link
     *     FaultCampaignOptions}
     */
    public SoakCommand(Map<String, String> environment, Class<?> launcher) {
        this.environment = environment;
        this.launcher = launcher;
    }

    @Override
    public Integer call() throws InterruptedException {
        var log = new TimestampedPrinter(spec.commandLine().getErr());
        var stop = new StopRequest();
        Run run;
        try {
            run = choose(log, stop);
        } catch (IllegalArgumentException e) {
            log.plain("soak: " + e.getMessage());
            return WRONG_USAGE;
        }
        var status = new CompletableFuture<Integer>();
        var hook = Thread.ofPlatform().unstarted(() -> stopAndExit(stop, status));
        Runtime.getRuntime().addShutdownHook(hook);
        int result = SoakRun.FAILED;
        try {
            result = run.run();
            return result;
        } finally {
            status.complete(result);
            removeHook(hook);
        }
    }

    /** Runs until the end or a stop request, and returns the exit status. */
    private interface Run {
        int run() throws InterruptedException;
    }

    private Run choose(TimestampedPrinter log, StopRequest stop) {
        if (cluster) {
            return cluster(log, stop);
        }
        if (duration != null || nodes != null) {
            throw new IllegalArgumentException("--duration and --nodes are for --cluster only");
        }
        if (election) {
            return election(log, stop);
        }
        return lockFile ? lockFile(log, stop) : features(log, stop);
    }

    private Run cluster(TimestampedPrinter log, StopRequest stop) {
        refuse(SERVER_OPTIONS, "--cluster");
        refuse(List.of("--election", "--lockfile", "--rounds", "--processes"), "--cluster");
        var options =
                new FaultCampaignOptions(
                        seed == null ? ThreadLocalRandom.current().nextInt() : seed,
                        duration == null ? DURATION : duration,
                        nodes == null ? NODES : nodes,
                        folder,
                        launcher);
        var campaign = new FaultCampaign(options, log::print);
        stop.whenRequested(campaign::stop);
        return campaign::run;
    }

    private Run features(TimestampedPrinter log, StopRequest stop) {
        if (ownRounds != null || processes != null || folder != null) {
            throw new IllegalArgumentException(
                    "--rounds, --processes and --dir are for --election and --lockfile only");
        }
        refuseSeed();
        var tls = connection.tls(environment);
        var options =
                new SoakOptions(
                        ConnectionOptions.servers("--server", server, environment),
                        workers,
                        rounds,
                        cycles,
                        connection.token(environment).map(Supplier::get).orElse(null),
                        tls.on() ? TrustedCertificates.context(tls.authorities()) : null);
        return new SoakRun(options, SoakRun.SCENARIOS, log, stop)::run;
    }

    private Run election(TimestampedPrinter log, StopRequest stop) {
        refuse(SERVER_OPTIONS, "--election");
        refuse(List.of("--lockfile"), "--election");
        refuseSeed();
        var options =
                new PrimaryElectionOptions(
                        ownRounds == null ? ROUNDS : ownRounds,
                        processes == null ? PROCESSES : processes,
                        folder);
        return new PrimaryElectionRun(options, log, stop)::run;
    }

    private Run lockFile(TimestampedPrinter log, StopRequest stop) {
        refuse(SERVER_OPTIONS, "--lockfile");
        var options =
                new LockFileSoakOptions(
                        ownRounds == null ? LOCK_FILE_ROUNDS : ownRounds,
                        processes == null ? PROCESSES : processes,
                        folder,
                        seed == null ? ThreadLocalRandom.current().nextInt() : seed);
        return new LockFileRun(options, log, stop)::run;
    }

    private void refuse(List<String> options, String with) {
        for (var option : options) {
            if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
                throw new IllegalArgumentException(option + " is not for " + with);
            }
        }
    }

    private void refuseSeed() {
        if (seed != null) {
            throw new IllegalArgumentException("--seed is for --lockfile and --cluster only");
        }
    }

    /** Runs when a signal ends the process, which would otherwise exit with the signal's status. */
    private void stopAndExit(StopRequest stop, CompletableFuture<Integer> status) {
        stop.request();
        long timeoutSeconds = cluster ? STOP_CLUSTER_SECONDS : STOP_SECONDS;
        int result =
                status.completeOnTimeout(SoakRun.FAILED, timeoutSeconds, TimeUnit.SECONDS).join();
        Runtime.getRuntime().halt(result);
    }

    private static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is ending because of a signal: the hook is running already.
        }
    }
}
