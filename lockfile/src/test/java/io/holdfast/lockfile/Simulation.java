package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/**
 * Many processes on one lock file, one step at a time. Who makes the next step is decided by a
 * {@link Schedule}; equal seeds give equal runs. Only the thread that has the turn touches anything
 * in here.
 */
final class Simulation implements AutoCloseable {
    /** Says who makes the next step. */
    interface Schedule {
        /** Null for the test itself. */
        @Nullable SimulatedProcess next(@Nullable SimulatedProcess last);
    }

    static final Duration STALE = Duration.ofSeconds(10);
    static final Path FOLDER = Path.of("/simulated");
    static final Path LOCK = FOLDER.resolve("my.lock");
    static final Path SIDECAR = FOLDER.resolve("my.lock.guard");

    /** Not far before all digits of the clock change at once. */
    private static final long START = 1_699_999_960;

    private static final long FIRST_PID = 101;
    private static final ExecutorService THREADS =
            Executors.newCachedThreadPool(
                    work -> {
                        var thread = new Thread(work, "simulated process");
                        thread.setDaemon(true);
                        return thread;
                    });

    private final SplittableRandom random;
    private final SimulatedFolder folder = new SimulatedFolder();
    private final List<SimulatedProcess> processes = new ArrayList<>();
    private final List<String> trace = new ArrayList<>();
    private final Semaphore testsTurn = new Semaphore(0);
    private Schedule schedule = last -> null;
    private boolean hardLinks = true;
    private boolean tearing;
    private long now = START;
    private long latest = START;

    Simulation(long seed) {
        random = new SplittableRandom(seed);
    }

    SimulatedProcess add(String name, SimulatedProcess.Program program) {
        var process = new SimulatedProcess(this, name, FIRST_PID + processes.size());
        processes.add(process);
        THREADS.execute(() -> process.live(program));
        return process;
    }

    void withoutHardLinks() {
        hardLinks = false;
    }

    boolean hasHardLinks() {
        return hardLinks;
    }

    /**
     * Whether a file that is written over can be read while only its beginning is new. The times in
     * lock files must not go back then: of two of them, a mixture could look ancient.
     */
    void tearing(boolean value) {
        tearing = value;
    }

    boolean isTearing() {
        return tearing;
    }

    /** Runs until the schedule gives the turn back to the test. */
    void run(Schedule by) {
        schedule = by;
        SimulatedProcess first = by.next(null);
        if (first != null) {
            first.giveTurn();
            testsTurn.acquireUninterruptibly();
        }
        for (SimulatedProcess process : processes) {
            if (process.failure() != null) {
                throw new AssertionError(process + ": " + process.failure(), process.failure());
            }
        }
    }

    /** Runs one process alone, until it is about to make such a step; or to its end. */
    void runUntil(SimulatedProcess process, String step) {
        run(
                last ->
                        process.isFinished()
                                        || (last != null && process.nextStep().startsWith(step))
                                ? null
                                : process);
    }

    /** Runs one process alone to its end. */
    void finish(SimulatedProcess process) {
        run(last -> process.isFinished() ? null : process);
    }

    void kill(SimulatedProcess process) {
        trace(process, "is killed");
        process.kill();
    }

    /**
     * Called by the process that has the turn: gives it to whoever is next, or to the test once
     * something is wrong.
     */
    void passOn(SimulatedProcess last) {
        SimulatedProcess next = last.failure() == null ? schedule.next(last) : null;
        if (next == last) {
            return;
        }
        if (next == null) {
            testsTurn.release();
        } else {
            next.giveTurn();
        }
        if (!last.isFinished()) {
            last.awaitTurn();
        }
    }

    /** Ends all processes that still run. */
    @Override
    public void close() {
        for (SimulatedProcess process : processes) {
            if (!process.isFinished()) {
                process.kill();
                schedule = last -> process.isFinished() ? null : process;
                process.giveTurn();
                testsTurn.acquireUninterruptibly();
            }
        }
    }

    List<SimulatedProcess> processes() {
        return processes;
    }

    SimulatedFolder folder() {
        return folder;
    }

    long now() {
        return now;
    }

    /** The latest time that it ever was. */
    long latest() {
        return latest;
    }

    Instant instant() {
        return Instant.ofEpochSecond(now);
    }

    InstantSource clock() {
        return this::instant;
    }

    /** Not so far that what a running process wrote, or is about to write, becomes stale. */
    void moveClock(long seconds) {
        long latest = Long.MAX_VALUE;
        for (SimulatedProcess process : processes) {
            latest = Math.min(latest, plusStale(process.freshSince()));
        }
        long then = Math.min(now + seconds, Math.max(latest, now));
        if (then != now) {
            setClock(then);
        }
    }

    /** Somebody who is not in here does so. */
    void removeLock() {
        try {
            folder.delete(LOCK);
        } catch (NoSuchFileException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Puts a lock file there that nobody in here made. */
    void plant(String content, long modified) {
        try {
            var inode = folder.create(LOCK, null, Instant.ofEpochSecond(modified));
            folder.write(inode, Scripts.bytes(content), Instant.ofEpochSecond(modified));
        } catch (FileAlreadyExistsException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whatever becomes stale by it. */
    void setClock(long then) {
        trace.add("clock " + (then - now));
        now = then;
        latest = Math.max(latest, then);
        processes.forEach(process -> process.clockWentTo(then));
    }

    private static long plusStale(long time) {
        return time == Long.MAX_VALUE ? time : time + STALE.toSeconds();
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    boolean oneIn(int odds) {
        return random.nextInt(odds) == 0;
    }

    void trace(SimulatedProcess process, String what) {
        trace.add(process + ": " + what);
    }

    List<String> trace() {
        return trace;
    }
}
