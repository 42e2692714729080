package io.holdfast.verification.soak;

import io.holdfast.driver.FailureText;
import io.holdfast.socketlock.LockState;
import io.holdfast.socketlock.SocketLock;
import io.holdfast.socketlock.SocketLockClient;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A process of {@link PrimaryElectionRun}: acquires the lock in a loop, increments a number in a
 * file that only the lock protects, and checks for other processes that are inside at the same
 * time. Reports what it does on standard output, one line for each {@link PrimaryElectionLine},
 * until its standard input ends.
 */
final class PrimaryElectionWorker {
    static final String SOCKET = "lock";
    static final String COUNTER = "counter";

    /** The prefix of the marker file that a process has while it holds the lock for writing. */
    static final String WRITES = "writes-";

    /** As {@link #WRITES}, while it holds the lock for reading. */
    static final String READS = "reads-";

    private static final long END_SECONDS = 20;
    private static final String NUMBER = "%020d";
    private static final int ONE_OF_WRITES = 2;

    /**
     * Most holds are short; one of this many lasts for longer than an election of a primary may
     * take.
     */
    private static final int ONE_OF_SLOW = 10;

    private static final int MAX_MICROS = 250_000;
    private static final int SHORT_MICROS = 500;
    private static final int OUTSIDE_MICROS = 2000;

    private final Path folder;
    private final String name;
    private final SocketLockClient client;

    private PrimaryElectionWorker(Path folder, String name, SocketLockClient client) {
        this.folder = folder;
        this.name = name;
        this.client = client;
    }

    /** Arguments: the folder and the name of this process. */
    public static void main(String[] arguments) {
        var ended = new CompletableFuture<Boolean>();
        // Ctrl-C reaches all processes of a terminal. The parent decides when this process exits,
        // so delay the exit.
        var wait =
                Thread.ofPlatform()
                        .unstarted(
                                () ->
                                        ended.completeOnTimeout(
                                                        false, END_SECONDS, TimeUnit.SECONDS)
                                                .join());
        Runtime.getRuntime().addShutdownHook(wait);
        int status = 0;
        var folder = Path.of(arguments[0]);
        try (var client = SocketLockClient.connect(folder.resolve(SOCKET))) {
            var worker = new PrimaryElectionWorker(folder, arguments[1], client);
            Thread.ofPlatform().daemon().start(worker::reportPrimary);
            worker.work();
        } catch (IOException | RuntimeException e) {
            report(new PrimaryElectionLine.Failed(FailureText.of(e)));
            status = 1;
        }
        ended.complete(true);
        System.exit(status);
    }

    private void reportPrimary() {
        boolean was = false;
        while (true) {
            boolean is = client.isPrimary();
            if (is != was) {
                report(new PrimaryElectionLine.Serves(is));
                was = is;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
        }
    }

    /**
     * Runs until the parent closes the standard input of this process, or ends and so closes it.
     */
    private void work() throws IOException {
        var input = Thread.ofPlatform().daemon().start(PrimaryElectionWorker::readToTheEnd);
        while (input.isAlive()) {
            boolean write = ThreadLocalRandom.current().nextInt(ONE_OF_WRITES) == 0;
            long requestedMicros = nowMicros();
            var lock = write ? client.acquireWrite() : client.acquireRead();
            long grantedMicros = nowMicros();
            if (write) {
                write(lock, requestedMicros, grantedMicros);
            } else {
                read(lock, requestedMicros, grantedMicros);
            }
            pause(OUTSIDE_MICROS);
        }
    }

    private static void readToTheEnd() {
        try {
            while (System.in.read() >= 0) {
                // discard
            }
        } catch (IOException e) {
            // as at the end of the input
        }
    }

    private void write(SocketLock lock, long requestedMicros, long grantedMicros)
            throws IOException {
        var marker = Files.createFile(folder.resolve(WRITES + name));
        reportOthers(WRITES);
        reportOthers(READS);
        long next = count();
        reportOthers(WRITES);
        reportOthers(READS);
        Files.delete(marker);
        report(new PrimaryElectionLine.Wrote(next, requestedMicros, grantedMicros));
        release(lock);
    }

    private void read(SocketLock lock, long requestedMicros, long grantedMicros)
            throws IOException {
        var marker = Files.createFile(folder.resolve(READS + name));
        reportOthers(WRITES);
        stayInside();
        reportOthers(WRITES);
        Files.delete(marker);
        report(new PrimaryElectionLine.Read(requestedMicros, grantedMicros));
        release(lock);
    }

    private static void release(SocketLock lock) {
        if (lock.state() == LockState.LOST) {
            report(new PrimaryElectionLine.Lost());
        }
        lock.release();
    }

    /** Reads, waits and writes: two processes that do so at the same time lose an increment. */
    private long count() throws IOException {
        try (var file =
                FileChannel.open(
                        folder.resolve(COUNTER),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            var bytes = ByteBuffer.allocate(NUMBER.length() * 4);
            file.read(bytes, 0);
            var text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.US_ASCII);
            long next = text.isEmpty() ? 1 : Long.parseLong(text) + 1;
            stayInside();
            // One write, so that no number is half written when the process is killed.
            var number = String.format(Locale.ROOT, NUMBER, next);
            file.write(ByteBuffer.wrap(number.getBytes(StandardCharsets.US_ASCII)), 0);
            return next;
        }
    }

    /** Reports all other processes that have such a marker file. */
    private void reportOthers(String prefix) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            files.map(file -> file.getFileName().toString())
                    .filter(file -> file.startsWith(prefix) && !file.equals(prefix + name))
                    .forEach(
                            file ->
                                    report(
                                            new PrimaryElectionLine.Met(
                                                    file.substring(prefix.length()))));
        }
    }

    private static void stayInside() {
        boolean slow = ThreadLocalRandom.current().nextInt(ONE_OF_SLOW) == 0;
        pause(slow ? MAX_MICROS : SHORT_MICROS);
    }

    private static void pause(int maxMicros) {
        LockSupport.parkNanos(
                TimeUnit.MICROSECONDS.toNanos(ThreadLocalRandom.current().nextInt(maxMicros)));
    }

    /** Reads the wall clock: the monotonic clock may differ between two processes. */
    static long nowMicros() {
        var now = Instant.now();
        return TimeUnit.SECONDS.toMicros(now.getEpochSecond())
                + TimeUnit.NANOSECONDS.toMicros(now.getNano());
    }

    private static synchronized void report(PrimaryElectionLine line) {
        System.out.println(line.text());
        System.out.flush();
    }
}
