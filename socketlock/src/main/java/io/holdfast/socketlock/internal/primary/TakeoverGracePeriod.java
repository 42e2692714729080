package io.holdfast.socketlock.internal.primary;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The time in which the holders of the previous primary can re-assert their holds. No offers may be
 * made until it is over. It ends as soon as each of them has re-asserted or is known to have ended,
 * and after {@link #LENGTH_NANOS} at the latest.
 */
public final class TakeoverGracePeriod {
    /** The maximum length. */
    public static final long LENGTH_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** A longer time between two checks means that this process was suspended. */
    private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long CHECK_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final PrimaryLock primaryLock;

    @GuardedBy("this")
    private final List<HoldRecord> outstanding;

    /** The number of re-assertions that are not {@link #reassertionHandled} yet. */
    @GuardedBy("this")
    private int pendingReassertions;

    /** Whether there may be unlisted holds. */
    private final boolean mayHaveUnlisted;

    /** The epoch of the primary that granted unlisted holds; 0 for one without an epoch. */
    private final long unlistedEpoch;

    @GuardedBy("this")
    private long endNanos;

    @GuardedBy("this")
    private long lastCheckNanos;

    @GuardedBy("this")
    private long nextLookNanos;

    @GuardedBy("this")
    private boolean over;

    TakeoverGracePeriod(
            PrimaryLock primaryLock,
            List<HoldRecord> listed,
            boolean mayHaveUnlisted,
            long unlistedEpoch,
            long nowNanos) {
        this.primaryLock = primaryLock;
        this.outstanding = new ArrayList<>(listed);
        this.mayHaveUnlisted = mayHaveUnlisted;
        this.unlistedEpoch = unlistedEpoch;
        this.endNanos = nowNanos + LENGTH_NANOS;
        this.lastCheckNanos = nowNanos;
        this.nextLookNanos = nowNanos;
    }

    /**
     * Whether the grace period is over, at a time of {@link System#nanoTime}. Once true, it stays
     * true.
     */
    public synchronized boolean isOver(long nowNanos) {
        if (over) {
            return true;
        }
        if (nowNanos - lastCheckNanos > STALL_NANOS && endNanos - nowNanos < STALL_NANOS) {
            endNanos =
                    nowNanos
                            + STALL_NANOS; // this process was suspended, so clients get a second to
            // respond
        }
        lastCheckNanos = nowNanos;
        if (nowNanos - nextLookNanos >= 0) {
            dropDeadProcesses();
            nextLookNanos = nowNanos + CHECK_INTERVAL_NANOS;
        }
        if (nowNanos - endNanos >= 0) {
            outstanding.forEach(primaryLock::erase);
            outstanding.clear();
            end();
        } else if (outstanding.isEmpty() && pendingReassertions == 0 && !mayHaveUnlisted) {
            end();
        }
        return over;
    }

    @GuardedBy("this")
    private void end() {
        over = true;
        primaryLock.graceIsOver();
    }

    /** When {@link #isOver} must be called again, at the latest. */
    public synchronized long nextLookNanos() {
        return nextLookNanos - endNanos < 0 ? nextLookNanos : endNanos;
    }

    /**
     * Handles a client's re-assertion of a hold. The caller adds the returned hold to its table, or
     * erases it if it conflicts with others; then it calls {@link #reassertionHandled}.
     *
     * @return null if the client does not have this hold, or the grace period is over
     */
    public synchronized @Nullable HoldRecord reassert(
            boolean write,
            String clientId,
            String lockId,
            long epoch,
            ProcessIdentity process,
            long fence) {
        if (over) {
            return null;
        }
        String id = HoldRecord.shortened(lockId);
        for (Iterator<HoldRecord> each = outstanding.iterator(); each.hasNext(); ) {
            HoldRecord hold = each.next();
            if (hold.write == write
                    && hold.lockId.equals(id)
                    && epoch >= hold.epoch
                    && (!hold.process.isKnown() || hold.process.equals(process))) {
                each.remove();
                primaryLock.reserveFence(fence);
                pendingReassertions++;
                return hold;
            }
        }
        HoldRecord hold =
                mayHaveUnlisted && epoch == unlistedEpoch
                        ? primaryLock.record(write, clientId, lockId, process, fence)
                        : null;
        if (hold != null) {
            pendingReassertions++;
        }
        return hold;
    }

    /**
     * The re-asserted hold has been added or erased, so the grace period need not wait for it any
     * more.
     */
    public synchronized void reassertionHandled() {
        pendingReassertions--;
    }

    /** A client has re-asserted all its holds: its other listed holds have ended. */
    public synchronized void reassertionsDone(String clientId, ProcessIdentity process) {
        if (!process.isKnown()) {
            return;
        }
        String id = HoldRecord.shortened(clientId);
        drop(hold -> hold.clientId.equals(id) && hold.process.equals(process));
    }

    @GuardedBy("this")
    private void dropDeadProcesses() {
        drop(hold -> hold.process.isGone());
    }

    @GuardedBy("this")
    private void drop(Predicate<HoldRecord> condition) {
        outstanding.removeIf(
                hold -> {
                    boolean dropped = condition.test(hold);
                    if (dropped) {
                        primaryLock.erase(hold);
                    }
                    return dropped;
                });
    }
}
