package io.holdfast.cluster.driver;

import io.holdfast.cluster.signal.ReplicatedSignals;
import io.holdfast.driver.view.Queries;

import java.util.function.LongSupplier;

/**
 * What the sessions of a node share.
 *
 * @param requestTimeoutNanos after which a request without a wait time is refused
 */
record SessionServices(
        SessionRegistry registry,
        NodeLease lease,
        BatchForwarder forwarder,
        ProposalLimits limits,
        Queries queries,
        ReplicatedSignals signals,
        long requestTimeoutNanos,
        LongSupplier clock) {
    /** Returns the time after a duration; {@link Long#MAX_VALUE} on overflow. */
    long after(long durationNanos) {
        long now = clock.getAsLong();
        return now + durationNanos < now ? Long.MAX_VALUE : now + durationNanos;
    }
}
