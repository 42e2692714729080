package io.holdfast.cluster.state;

import java.util.UUID;

/** One stretch of a node's serving. */
final class NodeIncarnation {
    final long number;
    final String node;
    final UUID nonce;

    /** The last batch that was applied. */
    long lastSequence;

    /** State time of the last sign of life. */
    long lastContactNanos;

    NodeIncarnation(long number, String node, UUID nonce, long heardNanos) {
        this.number = number;
        this.node = node;
        this.nonce = nonce;
        this.lastContactNanos = heardNanos;
    }
}
