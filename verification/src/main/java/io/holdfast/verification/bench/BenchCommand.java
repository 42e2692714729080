package io.holdfast.verification.bench;

import io.holdfast.console.options.ConnectionOptions;
import io.holdfast.driver.FailureText;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

import javax.net.ssl.SSLException;

/** {@code holdfast bench}: measures how fast a dflockd server grants and releases locks. */
@Command(
        name = "bench",
        abbreviateSynopsis = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "Measures how fast a dflockd server acquires and releases locks.%n",
            "Every worker repeats acquire and release on a key of its own, one round after the"
                    + " other. One operation is one such round."
        },
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:all rounds done",
            "1:a worker failed; the first failure is printed",
            "2:wrong usage, nothing was done"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  holdfast bench",
            "  holdfast bench --workers 100 --rounds 5000",
            "  holdfast bench --workers 50 --shared-key --json"
        })
public final class BenchCommand implements Callable<Integer> {
    private static final int WORKER_FAILED = 1;
    private static final int WRONG_USAGE = 2;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = "--workers",
            paramLabel = "N",
            description = "Concurrent workers (default: ${DEFAULT-VALUE}).")
    private int workers = 10;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "Measured rounds per worker (default: ${DEFAULT-VALUE}).")
    private int rounds = 50;

    @Option(
            names = "--warmup",
            paramLabel = "N",
            description =
                    "Rounds per worker before the measured ones, which all workers start"
                            + " together (default: ${DEFAULT-VALUE}).")
    private int warmup = 10;

    @Option(
            names = "--key",
            paramLabel = "KEY",
            description =
                    "Prefix of the keys; each worker adds a random number"
                            + " (default: ${DEFAULT-VALUE}).")
    private String key = "bench";

    @Option(
            names = "--shared-key",
            description = "All workers contend for one lock, named exactly KEY.")
    private boolean sharedKey;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description = "Timeout of an acquire (default: ${DEFAULT-VALUE}).")
    private long timeout = 30;

    @Option(
            names = "--lease",
            paramLabel = "SECONDS",
            description =
                    "Lease of each lock; 0 = the server's default (default: ${DEFAULT-VALUE}).")
    private long lease = 10;

    @Option(
            names = {"--server", "--servers"},
            paramLabel = "HOST:PORT[,...]",
            description =
                    "Servers; workers are assigned to them round robin (default: 127.0.0.1:6388)."
                            + " Variable: HOLDFAST_SERVER.")
    private @Nullable String servers;

    @Option(
            names = "--connections",
            paramLabel = "N",
            description =
                    "Connections per worker, used round robin; 0 means 1 (default:"
                            + " ${DEFAULT-VALUE}).")
    private int connections = 0;

    @Mixin private ConnectionOptions connection = new ConnectionOptions();

    @Option(
            names = "--transport",
            paramLabel = "NAME",
            description = "auto, io_uring, epoll or nio (default: ${DEFAULT-VALUE}).")
    private String transport = "auto";

    @Option(names = "--json", description = "Print one JSON object instead of text.")
    private boolean json;

    @Option(names = "--help", usageHelp = true, description = "Show this help and exit.")
    @SuppressWarnings("unused") // picocli sets it, prints the help and does not run the command
    private boolean help;

    private final Map<String, String> environment;

    public BenchCommand(Map<String, String> environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws InterruptedException {
        var out = spec.commandLine().getOut();
        var err = spec.commandLine().getErr();
        BenchOptions options;
        BenchRun run;
        try {
            options = options();
            requireHeap(options, freeHeap());
            run = new BenchRun(options);
        } catch (IllegalArgumentException e) {
            print(err, "bench: " + e.getMessage());
            return WRONG_USAGE;
        } catch (SSLException e) {
            print(err, "bench: " + FailureText.of(e));
            return WRONG_USAGE;
        }
        if (!json) {
            print(out, BenchReport.header(options));
        }
        try {
            var report = run.run();
            print(out, json ? report.json() : report.text());
            return 0;
        } catch (WorkerException e) {
            print(err, "worker " + e.worker() + " error: " + e.getMessage());
            return WORKER_FAILED;
        }
    }

    private BenchOptions options() {
        return new BenchOptions(
                workers,
                rounds,
                warmup,
                key,
                sharedKey,
                timeout,
                lease,
                ConnectionOptions.servers("--server", servers, environment),
                connections == 0 ? 1 : connections,
                connection.token(environment).map(Supplier::get).orElse(null),
                tls(),
                BenchNetworkIo.named(transport));
    }

    private BenchOptions.@Nullable Tls tls() {
        var tls = connection.tls(environment);
        return tls.on() ? new BenchOptions.Tls(tls.authorities().orElse(null)) : null;
    }

    private static long freeHeap() {
        var runtime = Runtime.getRuntime();
        return runtime.maxMemory() - runtime.totalMemory() + runtime.freeMemory();
    }

    /**
     * Refuses options whose latencies (one array, eight bytes per operation) would not fit into
     * half of the free heap; garbage collectors do not allocate a larger array.
     */
    static void requireHeap(BenchOptions options, long freeBytes) {
        long needed = 8L * options.operations();
        if (needed > freeBytes / 2) {
            throw new IllegalArgumentException(
                    options.workers()
                            + " workers x "
                            + options.rounds()
                            + " rounds need "
                            + ((needed >> 20) + 1)
                            + " MiB of heap for their latencies, more than is available; reduce"
                            + " --rounds or --workers, or set a larger heap with"
                            + " HOLDFAST_JAVA_OPTS=-Xmx...");
        }
    }

    private static void print(PrintWriter to, String text) {
        to.println(text);
        to.flush();
    }
}
