package io.holdfast.cluster;

/**
 * The version of a cluster: that of its log entries, of its snapshots, and of the rules by which
 * entries are applied. It is a part of the replicated state, begins with {@link #FIRST}, and is
 * raised when every member knows the next one. It is never lowered.
 *
 * <p>A node knows the versions from the first to its highest. In production the highest is {@link
 * #LATEST}. Tests make a node know {@code LATEST + 1}, the trial version, to prove that a cluster
 * can be upgraded one node at a time. In it an entry has one more byte, a batch is counted when it
 * is applied, and a snapshot has that count.
 */
public final class ClusterVersion {
    public static final int FIRST = 1;

    /** The highest version that has been published. */
    public static final int LATEST = 1;

    private ClusterVersion() {}

    /** Whether a version is one that only tests know. */
    public static boolean isTrial(int version) {
        return version > LATEST;
    }

    /**
     * Whether a node can use something of a version.
     *
     * @param known the highest version that the node knows
     */
    public static boolean isKnown(int version, int known) {
        return version >= FIRST && version <= known;
    }

    /** Returns the reason why a node cannot use something of an unknown version. */
    public static String unknown(String what, int version, int known) {
        return "%s has the version %d, and this Holdfast knows the versions %d to %d"
                .formatted(what, version, FIRST, known);
    }
}
