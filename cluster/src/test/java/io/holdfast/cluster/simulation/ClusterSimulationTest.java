package io.holdfast.cluster.simulation;

import io.holdfast.testsupport.TestTier;

import org.junit.jupiter.api.Test;

/**
 * Runs simulated clusters: each seed is a small cluster with clients, faults and a checker of all
 * guarantees. {@code -Dsimulation.seed=S} replays one seed, {@code -Dsimulation.seeds=N} runs that
 * many from there.
 *
 * <p>It was verified to fail, within 100 seeds, when batches are applied whatever their number, or
 * with gaps; when clients are disconnected at 150 % of the session timeout; when sessions end at
 * half of it, or never; when time advances between terms; when the result of a timed out request is
 * delivered after all, or the request is not cancelled; when requests time out too early; when an
 * incarnation gets an old number; when successors are passed over; when a snapshot lacks the
 * timestamp; when a cancel follows the end of its session. It seldom or never detects batches that
 * are not sent again, missing heartbeats, or a node that does not check its clock before it applies
 * an entry.
 */
class ClusterSimulationTest {
    private static final long SEED = Long.getLong("simulation.seed", 1);
    private static final int SEEDS =
            Integer.getInteger(
                    "simulation.seeds",
                    System.getProperty("simulation.seed") == null
                            ? TestTier.usually(400, 20_000)
                            : 1);

    @Test
    void all_guarantees_hold_under_random_faults() {
        for (long seed = SEED; seed < SEED + SEEDS; seed++) {
            try {
                SimulatedCluster.run(seed);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(
                        "seed %d: %s (replay with -Dsimulation.seed=%d)"
                                .formatted(seed, e.getMessage(), seed),
                        e);
            }
        }
    }
}
