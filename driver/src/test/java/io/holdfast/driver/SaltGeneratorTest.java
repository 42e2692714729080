package io.holdfast.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.Set;
import java.util.stream.LongStream;

@DisplayName("Salts")
class SaltGeneratorTest {
    @Test
    void salts_of_many_blocks_all_differ() {
        SaltGenerator saltGenerator = new SaltGenerator();
        Set<Long> seen = new HashSet<>();
        for (int i = 0; i < 20_000; i++) {
            assertThat(seen.add(saltGenerator.next())).as("salt %d is new", i).isTrue();
        }
    }

    @Test
    void salts_of_two_generators_differ() {
        SaltGenerator one = new SaltGenerator();
        SaltGenerator two = new SaltGenerator();
        Set<Long> seen = new HashSet<>();
        for (int i = 0; i < 2_000; i++) {
            seen.add(one.next());
            seen.add(two.next());
        }
        assertThat(seen).hasSize(4_000);
    }

    @Test
    void salts_use_all_bits() {
        SaltGenerator saltGenerator = new SaltGenerator();
        long ones = 0;
        long zeros = 0;
        for (int i = 0; i < 1_000; i++) {
            long salt = saltGenerator.next();
            ones |= salt;
            zeros |= ~salt;
        }
        assertThat(ones).isEqualTo(-1L);
        assertThat(zeros).isEqualTo(-1L);
    }

    @Test
    void salts_are_unique_across_threads() throws Exception {
        SaltGenerator saltGenerator = new SaltGenerator();
        int members = 4;
        int each = 100_000;
        long[] seen = new long[members * each];
        try (ParallelThreads parallelThreads = new ParallelThreads()) {
            parallelThreads.run(
                    members,
                    member -> {
                        for (int i = 0; i < each; i++) {
                            seen[member * each + i] = saltGenerator.next();
                        }
                    });
        }
        assertThat(LongStream.of(seen).distinct().count()).isEqualTo(seen.length);
    }
}
