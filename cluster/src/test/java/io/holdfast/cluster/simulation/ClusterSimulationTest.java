package io.holdfast.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.holdfast.cluster.simulation.SimulatedFaults.Fault;
import io.holdfast.testsupport.TestTier;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

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
 * timestamp; when a cancel follows the end of its session; when a restored state keeps the id of
 * its cluster, or its term. It seldom or never detects batches that are not sent again, missing
 * heartbeats, a node that does not check its clock before it applies an entry, or that one of the
 * three checks of {@code PeerAdmission} is missing while the others are there.
 */
class ClusterSimulationTest {
    private static final long SEED = Long.getLong("simulation.seed", 1);
    private static final int SEEDS =
            Integer.getInteger(
                    "simulation.seeds",
                    System.getProperty("simulation.seed") == null
                            ? TestTier.usually(240, 12_000)
                            : 1);

    /** With fewer seeds, some faults may not occur. */
    private static final int ENOUGH_SEEDS = 200;

    /** The seeds within which what a broken rule does must be found. */
    private static final int SEEDS_TO_FIND = 150;

    private static final int SEEDS_OF_SLOW_LINKS = TestTier.usually(15, 750);
    private static final long LAG_NANOS = 2 * SimulatedTime.SECOND;

    @Test
    void all_guarantees_hold_under_random_faults() {
        Map<Fault, Integer> faults = new EnumMap<>(Fault.class);
        long refused = 0;
        for (long seed = SEED; seed < SEED + SEEDS; seed++) {
            SimulatedCluster cluster = run(seed, BrokenRule.NONE, SimulatedFaults.ALL, false);
            for (Fault fault : Fault.values()) {
                faults.merge(fault, cluster.faults.count(fault), Integer::sum);
            }
            refused += cluster.network.refused.count();
        }
        if (SEEDS >= ENOUGH_SEEDS) {
            assertThat(faults.values()).as("number of faults: %s", faults).allMatch(n -> n > 0);
            assertThat(refused).isPositive();
        }
    }

    private static SimulatedCluster run(
            long seed, BrokenRule broken, List<Fault> profile, boolean shared) {
        try {
            return SimulatedCluster.run(seed, broken, profile, shared);
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(
                    "seed %d: %s (replay with -Dsimulation.seed=%d)"
                            .formatted(seed, e.getMessage(), seed),
                    e);
        }
    }

    static List<Arguments> brokenRules() {
        return List.of(
                arguments(
                        BrokenRule.WIPED_NODE_COUNTS,
                        List.of(Fault.WIPE, Fault.CRASH, Fault.LONG_PAUSE)),
                arguments(BrokenRule.STRANGER_ADMITTED, List.of(Fault.STRANGER, Fault.CRASH)),
                arguments(
                        BrokenRule.EMPTY_NODE_COUNTS_BESIDE_RESTORED,
                        List.of(Fault.RESTORE, Fault.CRASH, Fault.ISOLATION)));
    }

    @ParameterizedTest
    @MethodSource("brokenRules")
    void acknowledged_changes_are_lost_by_a_broken_rule_only(
            BrokenRule broken, List<Fault> profile) {
        String found = "nothing";
        for (long seed = 1; !isLoss(found) && seed <= SEEDS_TO_FIND; seed++) {
            SimulatedCluster.run(seed, BrokenRule.NONE, profile, false);
            try {
                SimulatedCluster.run(seed, broken, profile, false);
            } catch (AssertionError | RuntimeException e) {
                found = String.valueOf(e.getMessage());
            }
        }
        assertThat(found).matches(ClusterSimulationTest::isLoss, "is a loss");
    }

    private static boolean isLoss(String violation) {
        return violation.startsWith("acknowledged changes are lost");
    }

    @Test
    void entries_that_lag_by_seconds_over_slow_links_cause_no_election() {
        long lagNanos = 0;
        for (long seed = 1; seed <= SEEDS_OF_SLOW_LINKS; seed++) {
            SimulatedCluster cluster = run(seed, BrokenRule.NONE, List.of(Fault.SLOW_LINK), false);
            assertThat(cluster.termAfterFaults()).as("term, seed %d", seed).isOne();
            lagNanos = Math.max(lagNanos, cluster.maxLagNanos());
        }
        assertThat(lagNanos).isGreaterThan(LAG_NANOS);
    }

    @Test
    void elections_end_although_heartbeats_wait_behind_entries_on_slow_links() {
        long terms = 0;
        for (long seed = 1; seed <= SEEDS_OF_SLOW_LINKS; seed++) {
            SimulatedCluster cluster = run(seed, BrokenRule.NONE, List.of(Fault.SLOW_LINK), true);
            terms = Math.max(terms, cluster.termAfterFaults());
        }
        assertThat(terms).as("elections, which other connections avoid").isGreaterThan(1);
    }
}
