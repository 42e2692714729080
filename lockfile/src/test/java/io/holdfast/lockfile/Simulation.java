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
 * Runs several processes on one lock file, one step at a time. A {@link Schedule} selects the
 * process of the next step; equal seeds produce equal runs. Only the thread that has the turn
 * accesses the state.
 */
final class Simulation implements AutoCloseable {
    /** Selects the process of the next step. */
    interface Schedule {
        /** Null for the test itself. */
        @Nullable SimulatedProcess next(@Nullable SimulatedProcess last);
    }

    static final Duration STALE = Duration.ofSeconds(10);
    static final Path FOLDER = Path.of("/simulated");
    static final Path LOCK = FOLDER.resolve("my.lock");
    static final Path SIDECAR = FOLDER.resolve("my.lock.guard");

    /** The start time: shortly before many digits of the clock change at once. */
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
     * Whether an overwritten file can be read while only its beginning is new. Timestamps must not
     * decrease then: a mixture of two of them could be much older than both.
     */
    void tearing(boolean value) {
        tearing = value;
    }

    boolean isTearing() {
        return tearing;
    }

    /** Runs until the schedule returns the turn to the test. */
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

    /** Runs only this process, until its next step is the given one, or to its end. */
    void runUntil(SimulatedProcess process, String step) {
        run(
                last ->
                        process.isFinished()
                                        || (last != null && process.nextStep().startsWith(step))
                                ? null
                                : process);
    }

    /** Runs only this process, to its end. */
    void finish(SimulatedProcess process) {
        run(last -> process.isFinished() ? null : process);
    }

    void kill(SimulatedProcess process) {
        trace(process, "is killed");
        process.kill();
    }

    /**
     * Called by the process that has the turn: passes it to the next process, or to the test after
     * a failure.
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

    /** The latest time that the clock ever had. */
    long latest() {
        return latest;
    }

    Instant instant() {
        return Instant.ofEpochSecond(now);
    }

    InstantSource clock() {
        return this::instant;
    }

    /**
     * Moves the clock, but not so far that the timestamp that a running process wrote, or is about
     * to write, becomes stale.
     */
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

    /** Removes the lock file, as a program outside the simulation. */
    void removeLock() {
        try {
            folder.delete(LOCK);
        } catch (NoSuchFileException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Writes a lock file, as a program outside the simulation. */
    void plant(String content, long modified) {
        try {
            var inode = folder.create(LOCK, null, Instant.ofEpochSecond(modified));
            folder.write(inode, Scripts.bytes(content), Instant.ofEpochSecond(modified));
        } catch (FileAlreadyExistsException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Sets the clock, even if locks become stale by it. */
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
