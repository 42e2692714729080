package io.holdfast.driver;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Fences that increase across restarts even if the clock was set back. A file of 8 bytes contains a
 * ceiling, big-endian; no fence above it is issued before a higher ceiling is on disk. The next
 * range is reserved in the background when half of the current one is used.
 */
public final class FileFences implements Fences {
    static final long RANGE = 1 << 20;
    private static final Logger LOG = LoggerFactory.getLogger(FileFences.class);
    private static final long RETRY_MILLIS = 500;

    private final Path file;
    private final AtomicLong last;
    private final ReentrantLock lock = new ReentrantLock();

    /** Signals the reserver thread that a range is needed. */
    private final Condition needed = lock.newCondition();

    /** Threads with a fence above the ceiling wait for this. */
    private final Condition raised = lock.newCondition();

    private final Thread reserver;
    private volatile long ceiling;
    private volatile long reserveAt;
    private volatile boolean closed;

    private FileFences(Path file, long seed) throws IOException {
        this.file = file;
        this.last = new AtomicLong(seed);
        reserve(seed + RANGE);
        this.reserver = Thread.ofPlatform().daemon().name("holdfast-fences").unstarted(this::run);
    }

    /**
     * Opens or creates the file and reserves the first range.
     *
     * @throws IOException with a text for the user, if the file is damaged or cannot be used
     */
    public static FileFences open(Path file) throws IOException {
        return open(file, ClockFences.wallClockNanos());
    }

    static FileFences open(Path file, long clockNanos) throws IOException {
        FileFences fences;
        try {
            byte[] state = Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
            fences = new FileFences(file, Math.max(ceiling(file, state), clockNanos));
        } catch (DamagedException e) {
            throw e;
        } catch (IOException e) { // its message may be just a path
            throw new IOException(
                    "cannot use fence state file " + file + ": " + FailureText.of(e, file), e);
        }
        fences.reserver.start();
        return fences;
    }

    private static long ceiling(Path file, byte[] state) throws DamagedException {
        if (state.length == 0) {
            return 0;
        }
        if (state.length != Long.BYTES) {
            throw new DamagedException(file, state.length + " bytes, not 8");
        }
        long value = ByteBuffer.wrap(state).getLong();
        if (value < 0 || value > Long.MAX_VALUE - 2 * RANGE) {
            throw new DamagedException(file, value + " is not a valid fence");
        }
        return value;
    }

    private static final class DamagedException extends IOException {
        DamagedException(Path file, String damage) {
            super("fence state file " + file + " is damaged: " + damage);
        }
    }

    @Override
    public long next() {
        long fence = last.incrementAndGet();
        if (fence >= reserveAt) {
            callReserver();
            if (fence > ceiling) {
                awaitCeiling(fence);
            }
        }
        return fence;
    }

    /** The range above the floor is on disk when this returns. */
    @Override
    public void raise(long floor) {
        last.accumulateAndGet(Fences.checkFloor(floor), Math::max);
        awaitCeiling(floor + 1);
    }

    private void callReserver() {
        if (lock.tryLock()) { // if the reserver holds it, it is reserving already
            try {
                needed.signal();
            } finally {
                lock.unlock();
            }
        }
    }

    private void awaitCeiling(long fence) {
        lock.lock();
        try {
            while (fence > ceiling && !closed) {
                needed.signal();
                raised.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        lock.lock();
        try {
            while (!closed) {
                if (last.get() < reserveAt) {
                    needed.awaitUninterruptibly();
                    continue;
                }
                try {
                    reserve(last.get() + RANGE);
                    raised.signalAll();
                } catch (IOException | RuntimeException | Error e) {
                    // Retry after any failure: without this thread no fence can be issued.
                    LOG.atError()
                            .addKeyValue("file", file)
                            .addKeyValue("error", FailureText.of(e, file))
                            .log("cannot reserve fences; retrying");
                    pause();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for the full interval even if fences are requested meanwhile, so that a failing disk is
     * retried at a steady rate.
     */
    private void pause() {
        try {
            long left = TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS);
            while (left > 0 && !closed) {
                left = raised.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void reserve(long newCeiling) throws IOException {
        DurableFile.replace(file, ByteBuffer.allocate(Long.BYTES).putLong(newCeiling).array());
        ceiling = newCeiling;
        reserveAt = newCeiling - RANGE / 2;
    }

    @Override
    public void close() {
        closed = true;
        lock.lock();
        try {
            needed.signalAll();
            raised.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
