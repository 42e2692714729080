package io.holdfast.driver.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.HashMap;
import java.util.Map;

@DisplayName("Contention")
class TopContendedKeysTest {
    private final TopContendedKeys topContendedKeys = new TopContendedKeys();

    private Map<ContendedKey.ResourceId, Long> sum() {
        Map<ContendedKey.ResourceId, Long> sum = new HashMap<>();
        topContendedKeys.addTo(sum);
        return sum;
    }

    private static ContendedKey.ResourceId lock(String key) {
        return new ContendedKey.ResourceId(ResourceKind.LOCK, Key.of(key));
    }

    @Test
    void contention_is_counted_exactly_while_keys_are_few() {
        for (int i = 0; i < 30; i++) {
            for (int times = 0; times <= i; times++) {
                topContendedKeys.count(ResourceKind.LOCK, Key.of("key" + i));
            }
        }
        topContendedKeys.count(ResourceKind.SEMAPHORE, Key.of("key29"));
        Map<ContendedKey.ResourceId, Long> sum = sum();
        assertThat(sum)
                .hasSize(31)
                .containsEntry(lock("key0"), 1L)
                .containsEntry(lock("key29"), 30L);
    }

    @Test
    void the_most_contended_keys_are_found_among_very_many_in_bounded_memory() {
        int rounds = 20_000;
        for (int i = 0; i < rounds; i++) {
            topContendedKeys.count(ResourceKind.LOCK, Key.of("light" + i));
            if (i % 4 == 0) {
                topContendedKeys.count(ResourceKind.LOCK, Key.of("heavy"));
            }
            if (i % 8 == 0) {
                topContendedKeys.count(ResourceKind.LOCK, Key.of("second"));
            }
        }
        Map<ContendedKey.ResourceId, Long> sum = sum();
        assertThat(sum).hasSizeLessThanOrEqualTo(32).containsKeys(lock("heavy"), lock("second"));
        long most = sum.values().stream().mapToLong(it -> it).max().orElseThrow();
        assertThat(sum.get(lock("heavy"))).isEqualTo(most).isGreaterThanOrEqualTo(rounds / 4);
        assertThat(most).as("a little too high at most").isLessThan(rounds / 4 + rounds / 16);
    }

    @Test
    void contention_of_long_keys_is_not_counted() {
        topContendedKeys.count(ResourceKind.LOCK, Key.of("k".repeat(1025)));
        assertThat(sum()).isEmpty();
    }
}
