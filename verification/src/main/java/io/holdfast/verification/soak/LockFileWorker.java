package io.holdfast.verification.soak;

import io.holdfast.lockfile.FileSemaphore;
import io.holdfast.lockfile.Guard;
import io.holdfast.lockfile.LockFileConfig;
import io.holdfast.lockfile.LockFileTimeoutException;
import io.holdfast.lockfile.LockLostException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that acquires a lock file in a loop with the library, increments a number in a file
 * that only the lock protects, and records its turns in a {@link LockFileLog}. Prints faults only.
 * Exits when its standard input ends; a line there makes it hold the lock once for longer than the
 * stale timeout.
 */
final class LockFileWorker {
    /** How the process acquires the lock. */
    enum Style {
        /** Waits for the lock. */
        WAIT,
        /** Tries without waiting, in a loop. */
        TRY,
        /** Sometimes removes a stale lock first, and waits for a short time only. */
        CLEAN,
        /** As WAIT, beside a script that overwrites the lock file: warnings are no fault. */
        WITH_OVERWRITER
    }

    private static final Duration LONG_WAIT = Duration.ofSeconds(30);
    private static final int SHORT_WAIT_MILLIS = 60;
    private static final int END_SECONDS = 15;
    private static final int REPORT_SECONDS = 5;
    private static final int ONE_OF_CLEAN = 3;
    private static final int ONE_OF_CLOSE = 2;
    private static final int ONE_OF_SLOW = 8;
    private static final int MAX_MICROS = 150_000;
    private static final int SHORT_MICROS = 1000;
    private static final int OUTSIDE_MICROS = 5000;

    private final Path folder;
    private final String name;
    private final Style style;
    private final Duration staleTimeout;
    private final Random random;
    private final LockFileLog log;
    private final FileSemaphore semaphore;
    private final AtomicBoolean ending = new AtomicBoolean();
    private final AtomicBoolean holdLong = new AtomicBoolean();
    private final AtomicLong reportedLosses = new AtomicLong();
    private long losses;
    private long turn;

    private LockFileWorker(
            Path folder, String name, Style style, Duration staleTimeout, Random random)
            throws IOException {
        this.folder = folder;
        this.name = name;
        this.style = style;
        this.staleTimeout = staleTimeout;
        this.random = random;
        this.log = new LockFileLog(folder.resolve(LockFileProcesses.LOG));
        this.semaphore =
                FileSemaphore.at(
                        folder.resolve(LockFileProcesses.LOCK),
                        LockFileConfig.builder()
                                .staleTimeout(staleTimeout)
                                .tag(name)
                                .onLost(_ -> reportedLosses.incrementAndGet())
                                .onWarning(this::warn)
                                .build());
    }

    /** Arguments: the folder, the name, the style, the stale timeout in ms and a seed. */
    public static void main(String[] arguments) {
        int status = 0;
        try {
            var worker =
                    new LockFileWorker(
                            Path.of(arguments[0]),
                            arguments[1],
                            Style.valueOf(arguments[2]),
                            Duration.ofMillis(Long.parseLong(arguments[3])),
                            new Random(Long.parseLong(arguments[4])));
            worker.work();
        } catch (IOException | RuntimeException e) {
            e.printStackTrace(System.out);
            status = 1;
        }
        System.exit(status);
    }

    private void warn(String text) {
        if (style != Style.WITH_OVERWRITER) {
            System.out.println("warning: " + text);
        }
    }

    private void work() throws IOException {
        var self = Thread.currentThread();
        Thread.ofPlatform().daemon().start(() -> listen(self));
        while (!ending.get()) {
            var guard = acquire();
            if (guard != null) {
                inside(guard);
            }
            pause(OUTSIDE_MICROS);
        }
        checkReportedLosses();
    }

    /** Checks that the library reports each loss exactly once, on any thread. */
    private void checkReportedLosses() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(REPORT_SECONDS);
        while (reportedLosses.get() < losses && System.nanoTime() < end) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
        if (reportedLosses.get() != losses) {
            System.out.println(
                    reportedLosses.get() + " loss notifications for " + losses + " losses");
        }
    }

    /**
     * Reads standard input. At its end, interrupts the worker: that ends a wait for the lock, and
     * must not disturb anything else.
     */
    private void listen(Thread worker) {
        try {
            for (int next = System.in.read(); next >= 0; next = System.in.read()) {
                if (next == '\n') {
                    holdLong.set(true);
                }
            }
        } catch (IOException e) {
            // as at the end of the input
        }
        ending.set(true);
        worker.interrupt();
        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(END_SECONDS));
        Runtime.getRuntime().halt(1);
    }

    private @Nullable Guard acquire() {
        try {
            return switch (style) {
                case WAIT, WITH_OVERWRITER -> semaphore.acquire(LONG_WAIT);
                case TRY -> semaphore.tryAcquire().orElse(null);
                case CLEAN -> {
                    if (random.nextInt(ONE_OF_CLEAN) == 0) {
                        semaphore.clean();
                    }
                    yield semaphore.acquire(Duration.ofMillis(random.nextInt(SHORT_WAIT_MILLIS)));
                }
            };
        } catch (LockFileTimeoutException e) {
            return null;
        } catch (InterruptedException e) {
            return null; // the process is ending
        }
    }

    private void inside(Guard guard) throws IOException {
        turn++;
        log.append(new LockFileLine.Entered(name, turn));
        long number = count();
        log.append(new LockFileLine.Left(name, turn, number));
        if (!release(guard)) {
            losses++;
            log.append(new LockFileLine.Lost(name, turn));
        }
    }

    /** Releases the lock; returns false if it was lost. */
    private boolean release(Guard guard) {
        if (random.nextInt(ONE_OF_CLOSE) == 0) {
            guard.close();
            return !guard.isLost();
        }
        try {
            guard.release();
            return true;
        } catch (LockLostException e) {
            return false;
        }
    }

    /** Reads, waits and writes: two processes that do so at the same time lose an increment. */
    private long count() throws IOException {
        try (var file =
                new RandomAccessFile(folder.resolve(LockFileProcesses.COUNTER).toFile(), "rw")) {
            var text = file.readLine();
            stayInside();
            long next = Long.parseLong(text.strip()) + 1;
            // One write, so that no number is half written when the process is killed.
            file.seek(0);
            file.write(
                    String.format(Locale.ROOT, LockFileProcesses.NUMBER, next)
                            .getBytes(StandardCharsets.US_ASCII));
            return next;
        }
    }

    private void stayInside() {
        if (holdLong.compareAndSet(true, false)) {
            long end = System.nanoTime() + staleTimeout.multipliedBy(3).dividedBy(2).toNanos();
            for (long left = end - System.nanoTime();
                    left > 0 && !ending.get();
                    left = end - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
        } else {
            pause(random.nextInt(ONE_OF_SLOW) == 0 ? MAX_MICROS : SHORT_MICROS);
        }
    }

    private void pause(int maxMicros) {
        LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(maxMicros)));
    }
}
