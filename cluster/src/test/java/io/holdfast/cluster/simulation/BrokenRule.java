package io.holdfast.cluster.simulation;

/** A rule of the cluster that a run breaks, to show that the checks find what follows from that. */
enum BrokenRule {
    NONE,

    /** A node whose directory was emptied counts as the member that it was. */
    WIPED_NODE_COUNTS,

    /** Connections are not refused: whoever has the address of a member counts as that member. */
    STRANGER_ADMITTED,

    /** A restored node forms the new cluster with empty ones. */
    EMPTY_NODE_COUNTS_BESIDE_RESTORED
}
