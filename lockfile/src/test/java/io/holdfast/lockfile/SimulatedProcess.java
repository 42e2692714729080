package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.Semaphore;

/**
 * A process of a simulation: a thread that runs only when it has the turn, and yields it to the
 * others at every step.
 */
final class SimulatedProcess {
    /** What a process does from its start to its end. */
    interface Program {
        void run(SimulatedProcess self) throws Exception;
    }

    /** Ends the thread of a process that was killed. */
    static final class Killed extends Error {
        Killed() {
            super("killed", null, false, false);
        }
    }

    private static final long NEVER = Long.MAX_VALUE;

    final String name;
    final long pid;
    final SimulatedDisk disk;
    final Audit audit;
    private final Simulation simulation;
    private final Semaphore turn = new Semaphore(0);
    private boolean alive = true;
    private boolean finished;
    private String nextStep = "start";
    private @Nullable Throwable failure;

    /** The oldest timestamp that it has written or may write now. */
    private long freshSince = NEVER;

    private long refreshing = NEVER;
    private boolean mayOversleep;

    SimulatedProcess(Simulation simulation, String name, long pid) {
        this.simulation = simulation;
        this.name = name;
        this.pid = pid;
        this.audit = new Audit(this, simulation);
        this.disk = new SimulatedDisk(this, simulation, audit);
    }

    /** The body of its thread. */
    void live(Program program) {
        try {
            turn.acquireUninterruptibly();
            if (alive) {
                program.run(this);
            }
        } catch (Killed end) {
            // expected
        } catch (Throwable wrong) {
            if (alive) {
                failure = wrong;
            }
        } finally {
            finished = true;
            idle();
            disk.closeAll();
            simulation.passOn(this);
        }
    }

    /** Lets others run before the next operation of this process. */
    void step(String what) {
        if (!alive) {
            throw new Killed();
        }
        nextStep = what;
        simulation.passOn(this);
        if (!alive) {
            throw new Killed();
        }
        simulation.trace(this, what);
    }

    void kill() {
        alive = false;
        idle();
        disk.closeAll();
    }

    void giveTurn() {
        turn.release();
    }

    void awaitTurn() {
        turn.acquireUninterruptibly();
    }

    boolean isAlive() {
        return alive;
    }

    boolean isFinished() {
        return finished;
    }

    /** The step that it executes at its next turn. */
    String nextStep() {
        return nextStep;
    }

    @Nullable Throwable failure() {
        return failure;
    }

    Simulation simulation() {
        return simulation;
    }

    /** From now on this process may be stopped for longer than the stale timeout. */
    void mayOversleep() {
        mayOversleep = true;
    }

    /** It starts to acquire the lock: nothing that it writes from now on is older than this. */
    void busy() {
        freshSince = simulation.now();
    }

    /** It neither holds nor acquires the lock. */
    void idle() {
        freshSince = NEVER;
        refreshing = NEVER;
    }

    void beginsRefresh() {
        refreshing = simulation.now();
    }

    void endsRefresh() {
        freshSince = refreshing;
        refreshing = NEVER;
    }

    /** The clock was set back: timestamps written from now on are earlier. */
    void clockWentTo(long now) {
        if (freshSince != NEVER) {
            freshSince = Math.min(freshSince, now);
        }
        if (refreshing != NEVER) {
            refreshing = Math.min(refreshing, now);
        }
    }

    /**
     * The time that the clock must not reach while this process is suspended, minus the stale
     * timeout.
     */
    long freshSince() {
        return mayOversleep ? NEVER : freshSince;
    }

    @Override
    public String toString() {
        return name;
    }
}
