package io.holdfast.lockfile;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testsupport.TestTier;

/**
 * Runs a property for many seeds. A failing seed is reported with its schedule; {@code
 * -Dsimulation.seed=N} runs only that one, {@code -Dsimulation.seeds=N} runs N times the default
 * number, and {@code -Dsimulation.print=true} prints what the seeds have reached.
 */
final class Seeds {
    interface Property {
        void holdsIn(Simulation simulation) throws Exception;
    }

    private Seeds() {}

    static void each(int defaultCount, Property property) {
        Long only = Long.getLong("simulation.seed");
        if (only != null) {
            run(only, property);
            return;
        }
        long count = defaultCount * Long.getLong("simulation.seeds", TestTier.usually(1, 60));
        for (long seed = 1; seed <= count; seed++) {
            run(seed, property);
        }
    }

    /** Checked unless a single seed is run. */
    static void assertReached(long count, long min, String what) {
        if (Boolean.getBoolean("simulation.print")) {
            System.out.println(what + ": " + count);
        }
        if (Long.getLong("simulation.seed") == null) {
            assertThat(count).as("%s in all seeds together", what).isGreaterThanOrEqualTo(min);
        }
    }

    private static void run(long seed, Property property) {
        try (var simulation = new Simulation(seed)) {
            try {
                property.holdsIn(simulation);
            } catch (Throwable wrong) {
                throw new AssertionError(
                        "-Dsimulation.seed="
                                + seed
                                + ": "
                                + wrong.getMessage()
                                + "\nschedule:\n  "
                                + String.join("\n  ", simulation.trace()),
                        wrong);
            }
        }
    }
}
