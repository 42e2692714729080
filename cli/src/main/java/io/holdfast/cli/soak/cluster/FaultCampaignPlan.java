package io.holdfast.cli.soak.cluster;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;

/**
 * What to do.
 *
 * @param seed chooses the faults and when they come
 * @param folder where the nodes' data and logs go; null for a new one among temporary files
 */
public record FaultCampaignPlan(long seed, Duration duration, int nodes, @Nullable Path folder) {
    private static final int MIN_NODES = 3;
    private static final int MAX_NODES = 7;

    /** Throws {@link IllegalArgumentException} that names the option. */
    public FaultCampaignPlan {
        if (nodes < MIN_NODES || nodes > MAX_NODES) {
            throw new IllegalArgumentException("--nodes must be 3-7 (got " + nodes + ")");
        }
        if (duration.isZero() || duration.isNegative()) {
            throw new IllegalArgumentException("--duration must be > 0");
        }
    }
}
