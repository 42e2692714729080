package io.holdfast.client.socketlock.primary;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The time in which those who held locks under the primary before may come back. Until it is over
 * nothing may be offered. It ends as soon as each of them is back or known to be gone, and in any
 * case after {@link #LENGTH_NANOS}.
 */
public final class TakeoverGracePeriod {
    /** The most that anybody is waited for. */
    public static final long LENGTH_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Looks that are further apart tell that this process was stopped. */
    private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long CHECK_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final PrimaryLock primaryLock;
    private final List<HoldRecord> outstanding;

    /** Who is back, but not booked yet. */
    private int booking;

    /** Whether there may be holds that are not listed. */
    private final boolean unknown;

    /** Under which primary unlisted holds were granted; 0 is one that had no number. */
    private final long unlistedEpoch;

    private long endNanos;
    private long lastLookNanos;
    private long nextLookNanos;
    private boolean over;

    TakeoverGracePeriod(
            PrimaryLock primaryLock,
            List<HoldRecord> listed,
            boolean unknown,
            long unlistedEpoch,
            long nowNanos) {
        this.primaryLock = primaryLock;
        this.outstanding = new ArrayList<>(listed);
        this.unknown = unknown;
        this.unlistedEpoch = unlistedEpoch;
        this.endNanos = nowNanos + LENGTH_NANOS;
        this.lastLookNanos = nowNanos;
        this.nextLookNanos = nowNanos;
    }

    /** Whether offers may be made, by {@link System#nanoTime}. Once true, always true. */
    public synchronized boolean isOver(long nowNanos) {
        if (over) {
            return true;
        }
        if (nowNanos - lastLookNanos > STALL_NANOS && endNanos - nowNanos < STALL_NANOS) {
            endNanos = nowNanos + STALL_NANOS; // it was this process that was silent
        }
        lastLookNanos = nowNanos;
        if (nowNanos - nextLookNanos >= 0) {
            dropDeadProcesses();
            nextLookNanos = nowNanos + CHECK_INTERVAL_NANOS;
        }
        if (nowNanos - endNanos >= 0) {
            outstanding.forEach(primaryLock::erase);
            outstanding.clear();
            end();
        } else if (outstanding.isEmpty() && booking == 0 && !unknown) {
            end();
        }
        return over;
    }

    private void end() {
        over = true;
        primaryLock.graceIsOver();
    }

    /** When to ask {@link #isOver} again, at the latest. */
    public synchronized long nextLookNanos() {
        return nextLookNanos - endNanos < 0 ? nextLookNanos : endNanos;
    }

    /**
     * Somebody says that it still has a hold. If that is so, book it, or erase it if it cannot be
     * booked beside the others; then call {@link #booked}.
     *
     * @return null if it has not, or comes too late
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
                primaryLock.rebook(fence);
                booking++;
                return hold;
            }
        }
        HoldRecord hold =
                unknown && epoch == unlistedEpoch
                        ? primaryLock.record(write, clientId, lockId, process, fence)
                        : null;
        if (hold != null) {
            booking++;
        }
        return hold;
    }

    /** What was re-asserted is booked or erased: it is not waited for any more. */
    public synchronized void booked() {
        booking--;
    }

    /** A client is back and re-asserts nothing more: what else it had it has no longer. */
    public synchronized void reassertionsDone(String clientId, ProcessIdentity process) {
        if (!process.isKnown()) {
            return;
        }
        String id = HoldRecord.shortened(clientId);
        drop(hold -> hold.clientId.equals(id) && hold.process.equals(process));
    }

    private void dropDeadProcesses() {
        drop(hold -> hold.process.isGone());
    }

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
