package io.holdfast.client;

import java.util.OptionalLong;

/**
 * The caller was the holder and is not any more: it must stop using what the lock protects.
 *
 * {@snippet :
 * FakeHoldfast fake = new FakeHoldfast();
 * HoldfastLock lock = fake.client("alice").lock("k").lease(Duration.ofSeconds(30)).renew(false);
 * Hold hold = lock.acquire(Duration.ofSeconds(1));
 * fake.advance(Duration.ofSeconds(30));
 * try {
 *     hold.ensureHeld();
 * } catch (LeaseLostException e) {
 *     System.out.println(e.reason()); // EXPIRED
 * }
 * }
 */
public final class LeaseLostException extends LockException {
    private final LossReason reason;
    private final transient OptionalLong fence;

    LeaseLostException(String message, LossReason reason, OptionalLong fence) {
        super(message, null);
        this.reason = reason;
        this.fence = fence;
    }

    public LossReason reason() {
        return reason;
    }

    /** The fence of the hold that was lost, which must not be used any more. */
    public OptionalLong fence() {
        return fence;
    }

    @Override
    public boolean isRetrySafe() {
        return false;
    }
}
