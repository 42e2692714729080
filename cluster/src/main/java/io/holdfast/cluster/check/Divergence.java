package io.holdfast.cluster.check;

import org.jspecify.annotations.Nullable;

/**
 * The state of this node differs from that of others.
 *
 * @param index of the entry after which the states were compared
 * @param hash of the state of this node
 * @param majorityHash of the state of a majority of the members; null if no majority agrees, so
 *     that it is unknown whose state is right
 * @param hashes the hashes of all nodes, as text
 */
public record Divergence(long index, long hash, @Nullable Long majorityHash, String hashes) {
    /** Returns what was found, as a sentence without a full stop. */
    public String reason() {
        return "the state of this node differs from that of "
                + (majorityHash == null
                        ? "other nodes, and no majority agrees"
                        : "a majority of the nodes")
                + ": after entry "
                + index
                + " its hash is "
                + StateCheckReport.text(hash)
                + ", of all nodes: "
                + hashes;
    }

    /** Returns what an administrator should do, as a sentence without a full stop. */
    public String remedy(String node) {
        return majorityHash == null
                ? "stop all nodes, choose the one whose state is to be kept, make a new cluster of"
                      + " its directory (holdfast cluster recover), start it, and start the others"
                      + " with empty directories"
                : "stop it, empty its data directory, start it again and replace it (holdfast"
                        + " cluster replace "
                        + node
                        + " "
                        + node
                        + "=HOST:PORT --cluster ...)";
    }
}
