package io.holdfast.cluster;

/**
 * The versions that a node knows.
 *
 * @param lowestFrame the lowest version of the frames that it can exchange with other nodes
 * @param highestFrame the highest one
 * @param cluster the highest {@link ClusterVersion}
 */
public record KnownVersions(int lowestFrame, int highestFrame, int cluster) {
    /** What this Holdfast knows. */
    public static final KnownVersions CURRENT = new KnownVersions(1, 1, ClusterVersion.LATEST);

    public KnownVersions {
        if (lowestFrame < 1 || highestFrame < lowestFrame || cluster < 0) {
            throw new IllegalArgumentException(
                    "invalid versions: frames %d to %d, cluster %d"
                            .formatted(lowestFrame, highestFrame, cluster));
        }
    }

    /**
     * Returns the version of the frames that two nodes use: the lower one of the highest that each
     * knows; 0 if there is none that both know.
     */
    public int frameWith(KnownVersions other) {
        int common = Math.min(highestFrame, other.highestFrame);
        return common < Math.max(lowestFrame, other.lowestFrame) ? 0 : common;
    }
}
