package io.holdfast.cluster.state;

import io.holdfast.cluster.entry.Item;
import io.holdfast.engine.Effect;

import org.jspecify.annotations.Nullable;

import java.util.UUID;

/**
 * Where a node hears what follows from an entry. Called while the state is locked, in order: it
 * must be quick and call nobody.
 */
public interface Outlet {
    /** Something happened to a session, of whatever node. */
    void effect(Effect effect);

    /**
     * An item was applied; its effects were told before.
     *
     * @param answer to its request, if it has one already
     */
    void applied(Item item, @Nullable Effect answer);

    /** A batch is about to be applied. */
    void batchBegins(long stint, long sequence);

    /** A batch was applied; all its items were told before. */
    void batchApplied(long stint, long sequence);

    /** A stint began. */
    void joined(String node, UUID nonce, long stint);

    /**
     * A node wanted to begin a stint and may not: it has lost what it had on disk, or has it from
     * another cluster.
     */
    void turnedAway(String node, UUID nonce, String reason);

    /** Everything a session had is free; who is behind it is still known. */
    void ended(long session);

    /** A stint was ended, whether its node knows or not. */
    void stintEnded(long stint);

    /** The state was replaced by a copy of another node's. */
    void replaced();
}
