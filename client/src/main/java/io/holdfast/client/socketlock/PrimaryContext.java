package io.holdfast.client.socketlock;

import io.holdfast.client.socketlock.LockTable.Request;
import io.holdfast.client.socketlock.primary.HoldRecord;
import io.holdfast.client.socketlock.primary.PrimaryLock;
import io.holdfast.client.socketlock.primary.ProcessIdentity;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * What the conversations of a primary share: the table, the seat that gives the right to serve it,
 * and the names handed out. Of one thread.
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
    private long lookedNanos;
    private long offeredNanos;
    private boolean lost;

    PrimaryContext(
            LockConfig config, PrimaryLock primaryLock, LockEventDispatcher events, long nowNanos) {
        this.config = config;
        this.primaryLock = primaryLock;
        this.events = events;
        this.lookedNanos = nowNanos;
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
        return TimeUnit.NANOSECONDS.convert(duration); // as many as fit
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
     * Ends the time in which nothing is offered, if it is over.
     *
     * @return whether there is no need to look again
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
    long nextGraceLookNanos() {
        return primaryLock.grace().nextLookNanos();
    }

    /** Whether the path is still ours, and with it the right to offer the lock. */
    boolean checkPrimaryLock(long nowNanos) {
        lookedNanos = nowNanos;
        if (!lost && !primaryLock.isOurs()) {
            lose();
        }
        return !lost;
    }

    /**
     * As {@link #checkPrimaryLock}, which it does after an idle second. Call it before each offer.
     */
    boolean mayOffer(long nowNanos) {
        boolean idle =
                nowNanos - offeredNanos >= IDLE_NANOS || nowNanos - lookedNanos >= IDLE_NANOS;
        offeredNanos = nowNanos;
        return idle ? checkPrimaryLock(nowNanos) : !lost;
    }

    /** Nobody may be told anything any more. */
    boolean isLost() {
        return lost;
    }

    private void lose() {
        lost = true;
        table.suspend();
    }

    /** Lists a hold; null if that cannot be done, which is the end of the service. */
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

    /** The listed hold that a client says it has, or null. */
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

    void booked() {
        primaryLock.grace().booked();
    }

    void reassertionsDone(String clientId, ProcessIdentity process) {
        primaryLock.grace().reassertionsDone(clientId, process);
    }
}
