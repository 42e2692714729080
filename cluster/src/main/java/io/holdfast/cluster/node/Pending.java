package io.holdfast.cluster.node;

import io.holdfast.cluster.entry.Item;

import org.jspecify.annotations.Nullable;

/** An item on its way into the state. */
final class Pending {
    final Item item;

    /** Null for those that nobody waits for. */
    final @Nullable ReplicatedSession session;

    /** When nobody waits for it any more; {@link Long#MAX_VALUE} if never. */
    final long untilNanos;

    /** Whether its sender has been told that it takes too long. */
    boolean givenUp;

    Pending(Item item, @Nullable ReplicatedSession session, long untilNanos) {
        this.item = item;
        this.session = session;
        this.untilNanos = untilNanos;
    }
}
