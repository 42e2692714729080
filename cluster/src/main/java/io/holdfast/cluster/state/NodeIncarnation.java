package io.holdfast.cluster.state;

import java.util.UUID;

/** One run of a node; its sessions end with it. */
final class NodeIncarnation {
    final long number;
    final String node;
    final UUID nonce;

    /** The sequence number of the last applied batch. */
    long lastSequence;

    /** State time at which the node's last batch was applied. */
    long lastContactNanos;

    NodeIncarnation(long number, String node, UUID nonce, long contactNanos) {
        this.number = number;
        this.node = node;
        this.nonce = nonce;
        this.lastContactNanos = contactNanos;
    }
}
