package io.holdfast.cluster.simulation;

import io.holdfast.testsupport.TestTier;

import org.junit.jupiter.api.Test;

/**
 * Clusters that never were: each seed is a small cluster with its clients, its faults and a checker
 * of everything that was promised. {@code -Dsimulation.seed=S} replays one, {@code
 * -Dsimulation.seeds=N} tries that many from there on.
 *
 * <p>It was seen to fail, within 100 seeds, when batches are applied whatever their number, or with
 * gaps; when clients are sent away at 150 % of the session timeout; when sessions end at half of
 * it, or never; when time moves from one term to the next; when what is given up is told after all,
 * or not cancelled; when requests are given up too early; when a stint begins with an old number;
 * when heirs are passed over; when a copy of the state loses its stamp; when a cancel follows the
 * end of its session. It seldom or never sees batches that are not sent again, missing signs of
 * life, or a node that does not look at its clock before it applies.
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
    void every_promise_is_kept_whatever_happens() {
        for (long seed = SEED; seed < SEED + SEEDS; seed++) {
            try {
                SimulatedCluster.run(seed);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(
                        "seed %d: %s (again with -Dsimulation.seed=%d)"
                                .formatted(seed, e.getMessage(), seed),
                        e);
            }
        }
    }
}
