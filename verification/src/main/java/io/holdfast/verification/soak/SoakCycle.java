package io.holdfast.verification.soak;

import io.holdfast.console.options.ServerAddress;
import io.holdfast.driver.FailureText;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.BindException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/** One pass over all scenarios: its keys, its workers, its connections. */
final class SoakCycle implements AutoCloseable {
    /** The work of one thread. */
    interface Work {
        void run() throws IOException, CheckFailedException, InterruptedException;
    }

    /** The work of each worker; workers are numbered from 0. */
    interface WorkOfMany {
        void run(int worker) throws IOException, CheckFailedException, InterruptedException;
    }

    /** How long closed connections (in TIME_WAIT) may occupy all local ports. */
    private static final Duration PORTS_BUSY = Duration.ofSeconds(90);

    private static final Duration PORTS_RETRY = Duration.ofMillis(100);
    private static final long MAX_DWELL_NANOS = 300_000;

    private final SoakOptions options;
    private final StopRequest stop;
    private final String prefix;
    private final Set<SoakConnection> connections = ConcurrentHashMap.newKeySet();
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

    SoakCycle(SoakOptions options, StopRequest stop) {
        this.options = options;
        this.stop = stop;
        prefix = "soak_" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
    }

    /** The prefix of every key of this cycle, and of no other key. */
    String prefix() {
        return prefix;
    }

    String key(String name) {
        return prefix + "_" + name;
    }

    int workers() {
        return options.workers();
    }

    int rounds() {
        return options.rounds();
    }

    /** Whether to start no further round: a stop was requested, or another worker failed. */
    boolean ended() {
        return stop.isRequested() || failure.get() != null;
    }

    /**
     * Opens a connection that is closed when any worker fails, so that no other worker keeps
     * waiting for a response.
     */
    SoakConnection connect() throws IOException, CheckFailedException, InterruptedException {
        var connection = open();
        connections.add(connection);
        if (failure.get() != null) {
            connection.close();
        }
        return connection;
    }

    void disconnect(SoakConnection connection) throws IOException {
        connections.remove(connection);
        connection.close();
    }

    /** Runs the work in all workers {@linkplain #together at once}. */
    void inEveryWorker(WorkOfMany work)
            throws IOException, CheckFailedException, InterruptedException {
        var works = new ArrayList<Work>();
        for (int i = 0; i < options.workers(); i++) {
            int worker = i;
            works.add(() -> work.run(worker));
        }
        together(works);
    }

    /**
     * Runs each in its own thread and waits for all; throws the exception of the first that failed.
     */
    void together(List<Work> works) throws IOException, CheckFailedException, InterruptedException {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var work : works) {
                threads.execute(() -> runOne(work));
            }
        }
        switch (failure.get()) {
            case null -> {}
            case IOException e -> throw e;
            case CheckFailedException e -> throw e;
            case InterruptedException e -> throw e;
            case Exception e -> throw new IllegalStateException(e);
        }
    }

    /** Waits; returns false if the cycle ended first. */
    boolean pause(Duration time) throws InterruptedException {
        stop.pause(time);
        return !ended();
    }

    /** Keeps a slot for a moment, so that a second holder would be detected. */
    static void dwell() {
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(MAX_DWELL_NANOS));
    }

    @Override
    public void close() throws IOException {
        for (var connection : connections) {
            disconnect(connection);
        }
    }

    private void runOne(Work work) {
        try {
            work.run();
        } catch (IOException | CheckFailedException | InterruptedException | RuntimeException e) {
            fail(e);
        }
    }

    private void fail(Exception cause) {
        if (!failure.compareAndSet(null, cause)) {
            return;
        }
        try {
            close();
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    private SoakConnection open() throws IOException, CheckFailedException, InterruptedException {
        IOException failure = new IOException("there is no server");
        for (var server : options.servers()) {
            try {
                return open(server);
            } catch (IOException e) {
                failure =
                        new IOException(
                                "cannot connect to " + server + ": " + FailureText.of(e), e);
            }
        }
        throw failure;
    }

    private SoakConnection open(ServerAddress server)
            throws IOException, CheckFailedException, InterruptedException {
        long deadline = System.nanoTime() + PORTS_BUSY.toNanos();
        while (true) {
            try {
                return SoakConnection.open(server, options.authToken(), options.tls());
            } catch (BindException e) {
                // All local ports are in TIME_WAIT for now.
                if (ended() || System.nanoTime() - deadline > 0) {
                    throw e;
                }
                stop.pause(PORTS_RETRY);
            }
        }
    }
}
