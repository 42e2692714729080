package io.holdfast.verification.campaign;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;

/**
 * The parameters of a campaign.
 *
 * @param seed seed of the choice of the faults and their times
 * @param folder the parent of the folder for the nodes' data and logs; null for the folder of
 *     temporary files
 * @param launcher class on the class path of this process whose {@code main} takes {@code serve}
 *     and its options
 */
public record FaultCampaignOptions(
        long seed, Duration duration, int nodes, @Nullable Path folder, Class<?> launcher) {
    private static final int MIN_NODES = 3;
    private static final int MAX_NODES = 7;

    /** Throws an {@link IllegalArgumentException} that names the option. */
    public FaultCampaignOptions {
        if (nodes < MIN_NODES || nodes > MAX_NODES) {
            throw new IllegalArgumentException("--nodes must be 3-7 (got " + nodes + ")");
        }
        if (duration.isZero() || duration.isNegative()) {
            throw new IllegalArgumentException("--duration must be > 0");
        }
    }
}
