package io.holdfast.shedlock;

import io.holdfast.client.Hold;
import io.holdfast.client.LeaseLostException;

import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

import java.time.Duration;
import java.util.Optional;

/** An acquired lock, until it is unlocked or extended. */
final class HeldLock extends AbstractSimpleLock {
    private final Hold hold;

    /** The start of the times in the configuration, as {@link System#nanoTime}. */
    private final long sinceNanos;

    HeldLock(LockConfiguration configuration, Hold hold, long sinceNanos) {
        super(configuration);
        this.hold = hold;
        this.sinceNanos = sinceNanos;
    }

    @Override
    protected void doUnlock() {
        Duration elapsed = Duration.ofNanos(System.nanoTime() - sinceNanos);
        Duration remaining = lockConfiguration.getLockAtLeastFor().minus(elapsed);
        if (remaining.isNegative() || remaining.isZero()) {
            hold.close();
        } else {
            hold.closeAfter(remaining);
        }
    }

    @Override
    protected Optional<SimpleLock> doExtend(LockConfiguration extended) {
        long nowNanos = System.nanoTime();
        try {
            hold.renew(extended.getLockAtMostFor());
            return Optional.of(new HeldLock(extended, hold, nowNanos));
        } catch (LeaseLostException e) {
            return Optional.empty();
        }
    }
}
