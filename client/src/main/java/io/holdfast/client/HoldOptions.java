package io.holdfast.client;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The options of a hold.
 *
 * @param leaseNanos 0 for the server's default
 * @param maxHoldNanos 0 for no limit
 */
record HoldOptions(
        long leaseNanos,
        boolean renew,
        long maxHoldNanos,
        boolean unbound,
        List<Consumer<LossReason>> onLost,
        boolean interruptOnLoss) {
    static final HoldOptions DEFAULT = new HoldOptions(0, true, 0, false, List.of(), false);

    HoldOptions withLease(long nanos) {
        return new HoldOptions(nanos, renew, maxHoldNanos, unbound, onLost, interruptOnLoss);
    }

    HoldOptions withRenew(boolean on) {
        return new HoldOptions(leaseNanos, on, maxHoldNanos, unbound, onLost, interruptOnLoss);
    }

    HoldOptions withMaxHold(long nanos) {
        return new HoldOptions(leaseNanos, renew, nanos, unbound, onLost, interruptOnLoss);
    }

    HoldOptions withUnbound() {
        return new HoldOptions(leaseNanos, renew, maxHoldNanos, true, onLost, interruptOnLoss);
    }

    HoldOptions withOnLost(Consumer<LossReason> action) {
        var all = new ArrayList<>(onLost);
        all.add(action);
        return new HoldOptions(
                leaseNanos, renew, maxHoldNanos, unbound, List.copyOf(all), interruptOnLoss);
    }

    HoldOptions withInterrupt() {
        return new HoldOptions(leaseNanos, renew, maxHoldNanos, unbound, onLost, true);
    }

    /** For a part of a multi lock, which reports losses itself. */
    HoldOptions withoutCallbacks() {
        return new HoldOptions(leaseNanos, renew, maxHoldNanos, unbound, List.of(), false);
    }
}
