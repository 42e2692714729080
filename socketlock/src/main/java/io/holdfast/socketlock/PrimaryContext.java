package io.holdfast.socketlock;

import io.holdfast.socketlock.LockTable.Request;
import io.holdfast.socketlock.internal.primary.HoldRecord;
import io.holdfast.socketlock.internal.primary.PrimaryLock;
import io.holdfast.socketlock.internal.primary.ProcessIdentity;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * The state that the connections of a primary share: the lock table, the primary lock, and the
 * generated ids. Used by one thread.
 */
final class PrimaryContext {
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LockConfig config;
    private final PrimaryLock primaryLock;
    private final LockTable table;
    private final LockEventDispatcher events;
    private final String idPrefix =
            "c" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong()) + "-";
    private long ids;
    private long checkedNanos;
    private long offeredNanos;
    private boolean lost;

    PrimaryContext(
            LockConfig config, PrimaryLock primaryLock, LockEventDispatcher events, long nowNanos) {
        this.config = config;
        this.primaryLock = primaryLock;
        this.events = events;
        this.checkedNanos = nowNanos;
        this.offeredNanos = nowNanos;
        Instant wall = Instant.now();
        long wallNanos = TimeUnit.SECONDS.toNanos(wall.getEpochSecond()) + wall.getNano();
        this.table =
                new LockTable(
                        config.policy(),
                        nanos(config.requestTimeout()),
                        nanos(config.confirmTimeout()),
                        Math.max(primaryLock.fenceFloor(), wallNanos));
        table.suspend();
        endGrace(nowNanos);
    }

    private static long nanos(Duration duration) {
        return TimeUnit.NANOSECONDS.convert(duration); // saturates on overflow
    }

    LockConfig config() {
        return config;
    }

    LockTable table() {
        return table;
    }

    LockEventDispatcher events() {
        return events;
    }

    long epoch() {
        return primaryLock.epoch();
    }

    String newClientId() {
        return idPrefix + ++ids;
    }

    static String newLockId() {
        long bits = ThreadLocalRandom.current().nextLong();
        return "l" + HexFormat.of().toHexDigits(bits, 12);
    }

    /**
     * Ends the grace period, in which no offers are made, if it is over.
     *
     * @return whether no further check is needed
     */
    boolean endGrace(long nowNanos) {
        if (lost) {
            return true;
        }
        if (table.isSuspended() && primaryLock.grace().isOver(nowNanos)) {
            table.resume();
        }
        return !table.isSuspended();
    }

    /** When to call {@link #endGrace} again. */
    long nextGraceCheckNanos() {
        return primaryLock.grace().nextLookNanos();
    }

    /**
     * Checks whether this process still has the primary lock, and with it the right to make offers.
     */
    boolean checkPrimaryLock(long nowNanos) {
        checkedNanos = nowNanos;
        if (!lost && !primaryLock.isOurs()) {
            lose();
        }
        return !lost;
    }

    /**
     * Whether an offer may be made. Calls {@link #checkPrimaryLock} if the last offer or check is
     * more than a second ago. Call it before each offer.
     */
    boolean mayOffer(long nowNanos) {
        boolean idle =
                nowNanos - offeredNanos >= IDLE_NANOS || nowNanos - checkedNanos >= IDLE_NANOS;
        offeredNanos = nowNanos;
        return idle ? checkPrimaryLock(nowNanos) : !lost;
    }

    /** Whether the primary lock is lost: then no more responses may be sent. */
    boolean isLost() {
        return lost;
    }

    private void lose() {
        lost = true;
        table.suspend();
    }

    /** Lists a hold in the lock file; null if that fails, which ends the service. */
    @Nullable HoldRecord record(Request request, String clientId, ProcessIdentity process) {
        HoldRecord hold =
                primaryLock.record(
                        request.mode() == LockMode.WRITE,
                        clientId,
                        request.lockId(),
                        process,
                        request.fence());
        if (hold == null) {
            lose();
        }
        return hold;
    }

    void erase(HoldRecord hold) {
        primaryLock.erase(hold);
    }

    /** The listed hold that a client re-asserts, or null. */
    @Nullable HoldRecord inherited(
            LockMode mode, String clientId, String lockId, long epoch, ProcessIdentity process) {
        return primaryLock
                .grace()
                .reassert(
                        mode == LockMode.WRITE,
                        clientId,
                        lockId,
                        epoch,
                        process,
                        table.nextFence());
    }

    void reassertionHandled() {
        primaryLock.grace().reassertionHandled();
    }

    void reassertionsDone(String clientId, ProcessIdentity process) {
        primaryLock.grace().reassertionsDone(clientId, process);
    }
}
