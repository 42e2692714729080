package io.holdfast.cli.soak;

import io.holdfast.client.socketlock.LockState;
import io.holdfast.client.socketlock.SocketLock;
import io.holdfast.client.socketlock.SocketLockClient;
import io.holdfast.driver.FailureText;

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
 * A process of {@link ElectionRun}: takes the lock over and over, counts in a file that only the
 * lock protects, and looks for others that are there at the same time. Tells what it does on
 * standard output, a line for each {@link ElectionLine}, until its standard input ends.
 */
final class ElectionWorker {
    static final String SOCKET = "lock";
    static final String COUNTER = "counter";

    /** Every name of a file that says: I am inside. */
    static final String WRITES = "writes-";

    static final String READS = "reads-";

    private static final long END_SECONDS = 20;
    private static final String NUMBER = "%020d";
    private static final int ONE_OF_WRITES = 2;

    /** Most stay inside for a moment only, some for longer than it takes to elect a primary. */
    private static final int ONE_OF_SLOW = 10;

    private static final int MAX_MICROS = 250_000;
    private static final int SHORT_MICROS = 500;
    private static final int OUTSIDE_MICROS = 2000;

    private final Path folder;
    private final String name;
    private final SocketLockClient client;

    private ElectionWorker(Path folder, String name, SocketLockClient client) {
        this.folder = folder;
        this.name = name;
        this.client = client;
    }

    /** Takes the folder and the name of this process. */
    public static void main(String[] arguments) {
        var ended = new CompletableFuture<Boolean>();
        // Ctrl-C reaches all processes of a terminal; the parent says when to end, and it ends too.
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
            var worker = new ElectionWorker(folder, arguments[1], client);
            Thread.ofPlatform().daemon().start(worker::watchSeat);
            worker.work();
        } catch (IOException | RuntimeException e) {
            say(new ElectionLine.Failed(FailureText.of(e)));
            status = 1;
        }
        ended.complete(true);
        System.exit(status);
    }

    private void watchSeat() {
        boolean was = false;
        while (true) {
            boolean is = client.isPrimary();
            if (is != was) {
                say(new ElectionLine.Serves(is));
                was = is;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
        }
    }

    /** Until the parent closes our standard input, or ends and so closes it too. */
    private void work() throws IOException {
        var input = Thread.ofPlatform().daemon().start(ElectionWorker::readToTheEnd);
        while (input.isAlive()) {
            boolean write = ThreadLocalRandom.current().nextInt(ONE_OF_WRITES) == 0;
            long askedMicros = nowMicros();
            var lock = write ? client.acquireWrite() : client.acquireRead();
            long gotMicros = nowMicros();
            if (write) {
                write(lock, askedMicros, gotMicros);
            } else {
                read(lock, askedMicros, gotMicros);
            }
            pause(OUTSIDE_MICROS);
        }
    }

    private static void readToTheEnd() {
        try {
            while (System.in.read() >= 0) {
                // on
            }
        } catch (IOException e) {
            // That is an end too.
        }
    }

    private void write(SocketLock lock, long askedMicros, long gotMicros) throws IOException {
        var marker = Files.createFile(folder.resolve(WRITES + name));
        meet(WRITES);
        meet(READS);
        long next = count();
        meet(WRITES);
        meet(READS);
        Files.delete(marker);
        say(new ElectionLine.Wrote(next, askedMicros, gotMicros));
        release(lock);
    }

    private void read(SocketLock lock, long askedMicros, long gotMicros) throws IOException {
        var marker = Files.createFile(folder.resolve(READS + name));
        meet(WRITES);
        stayInside();
        meet(WRITES);
        Files.delete(marker);
        say(new ElectionLine.Read(askedMicros, gotMicros));
        release(lock);
    }

    private static void release(SocketLock lock) {
        if (lock.state() == LockState.LOST) {
            say(new ElectionLine.Lost());
        }
        lock.release();
    }

    /** Reads, waits, writes: whoever does that at the same time loses a count. */
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
            // In one piece, so that no number is half written when the process is killed.
            var number = String.format(Locale.ROOT, NUMBER, next);
            file.write(ByteBuffer.wrap(number.getBytes(StandardCharsets.US_ASCII)), 0);
            return next;
        }
    }

    /** Tells of all others that have made such a file. */
    private void meet(String prefix) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            files.map(file -> file.getFileName().toString())
                    .filter(file -> file.startsWith(prefix) && !file.equals(prefix + name))
                    .forEach(file -> say(new ElectionLine.Met(file.substring(prefix.length()))));
        }
    }

    private static void stayInside() {
        boolean slow = ThreadLocalRandom.current().nextInt(ONE_OF_SLOW) == 0;
        pause(slow ? MAX_MICROS : SHORT_MICROS);
    }

    private static void pause(int mostMicros) {
        LockSupport.parkNanos(
                TimeUnit.MICROSECONDS.toNanos(ThreadLocalRandom.current().nextInt(mostMicros)));
    }

    /** By the wall clock: the other clock need not be the same in two processes. */
    static long nowMicros() {
        var now = Instant.now();
        return TimeUnit.SECONDS.toMicros(now.getEpochSecond())
                + TimeUnit.NANOSECONDS.toMicros(now.getNano());
    }

    private static synchronized void say(ElectionLine line) {
        System.out.println(line.text());
        System.out.flush();
    }
}
