package io.holdfast.cli.bench;

import io.holdfast.cli.options.ConnectionOptions;
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

/** {@code holdfast bench}: how fast a dflockd server takes and releases locks. */
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
            "1:a worker failed; the first one is named",
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
            description = "How long an acquire may wait (default: ${DEFAULT-VALUE}).")
    private long timeout = 30;

    @Option(
            names = "--lease",
            paramLabel = "SECONDS",
            description =
                    "Lease of each lock; 0 leaves it to the server (default: ${DEFAULT-VALUE}).")
    private long lease = 10;

    @Option(
            names = {"--server", "--servers"},
            paramLabel = "HOST:PORT[,...]",
            description =
                    "Servers; workers are spread over them in turn (default: 127.0.0.1:6388)."
                            + " Variable: HOLDFAST_SERVER.")
    private @Nullable String servers;

    @Option(
            names = "--connections",
            paramLabel = "N",
            description =
                    "Connections per worker, used in turn; 0 means 1 (default: ${DEFAULT-VALUE}).")
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
    @SuppressWarnings("unused") // picocli sets it, prints the help and does not call us
    private boolean help;

    private final Map<String, String> environment;

    public BenchCommand(Map<String, String> environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws InterruptedException {
        var out = spec.commandLine().getOut();
        var err = spec.commandLine().getErr();
        BenchPlan plan;
        BenchRun run;
        try {
            plan = plan();
            requireHeap(plan, freeHeap());
            run = new BenchRun(plan);
        } catch (IllegalArgumentException e) {
            say(err, "bench: " + e.getMessage());
            return WRONG_USAGE;
        } catch (SSLException e) {
            say(err, "bench: " + FailureText.of(e));
            return WRONG_USAGE;
        }
        if (!json) {
            say(out, BenchReport.header(plan));
        }
        try {
            var report = run.run();
            say(out, json ? report.json() : report.text());
            return 0;
        } catch (WorkerException e) {
            say(err, "worker " + e.worker() + " error: " + e.getMessage());
            return WORKER_FAILED;
        }
    }

    private BenchPlan plan() {
        return new BenchPlan(
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
                BenchTransport.named(transport));
    }

    private BenchPlan.@Nullable Tls tls() {
        var tls = connection.tls(environment);
        return tls.on() ? new BenchPlan.Tls(tls.authorities().orElse(null)) : null;
    }

    private static long freeHeap() {
        var runtime = Runtime.getRuntime();
        return runtime.maxMemory() - runtime.totalMemory() + runtime.freeMemory();
    }

    /**
     * Every latency is kept, eight bytes each; better refused now than out of memory later. Half of
     * the heap, because collectors give no more to one array.
     */
    static void requireHeap(BenchPlan plan, long freeBytes) {
        long needed = 8L * plan.operations();
        if (needed > freeBytes / 2) {
            throw new IllegalArgumentException(
                    plan.workers()
                            + " workers x "
                            + plan.rounds()
                            + " rounds need "
                            + ((needed >> 20) + 1)
                            + " MiB for their latencies, more than the heap can give; ask for"
                            + " fewer rounds, or a larger heap with HOLDFAST_JAVA_OPTS=-Xmx...");
        }
    }

    private static void say(PrintWriter to, String text) {
        to.println(text);
        to.flush();
    }
}
