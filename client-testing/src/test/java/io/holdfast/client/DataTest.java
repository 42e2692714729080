package io.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.client.testing.FakeHoldfast;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;

@DisplayName("Counters, values, lists and server information")
class DataTest {
    private final FakeHoldfast fake = new FakeHoldfast();
    private final Holdfast client = fake.client("a");

    @AfterEach
    void close() {
        fake.close();
    }

    @Test
    void counters_are_incremented_decremented_and_set() {
        var counter = client.counter("c");
        assertThat(counter.get()).isZero();
        assertThat(counter.increment()).isEqualTo(1);
        assertThat(counter.increment(10)).isEqualTo(11);
        assertThat(counter.decrement()).isEqualTo(10);
        assertThat(counter.decrement(20)).isEqualTo(-10);
        counter.set(Long.MAX_VALUE);
        assertThatThrownBy(counter::increment).isInstanceOf(RefusedException.class);
        assertThat(counter.get()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void values_are_returned_unchanged_also_with_a_number_at_the_end() {
        client.kv().put("k", "hello 5");
        assertThat(client.kv().get("k")).contains("hello 5");
        fake.advance(Duration.ofSeconds(6));
        assertThat(client.kv().get("k")).contains("hello 5");
        client.kv().put("k", "brief", Duration.ofMillis(1500));
        fake.advance(Duration.ofMillis(1999));
        assertThat(client.kv().get("k")).contains("brief");
        fake.advance(Duration.ofMillis(1));
        assertThat(client.kv().get("k")).isEmpty();
        client.kv().put("k", "x");
        client.kv().remove("k");
        assertThat(client.kv().get("k")).isEmpty();
        assertThatThrownBy(() -> client.kv().put("k", "a\nb"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> client.kv().put("k", "x".repeat(255)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("254");
    }

    @Test
    void lists_can_be_pushed_and_popped_at_both_ends() {
        var list = client.list("l");
        assertThat(list.pushLast("b \"<ü>\"")).isEqualTo(1);
        assertThat(list.pushFirst("a")).isEqualTo(2);
        assertThat(list.pushLast("c")).isEqualTo(3);
        assertThat(list.size()).isEqualTo(3);
        assertThat(list.range(0, -1)).containsExactly("a", "b \"<ü>\"", "c");
        assertThat(list.range(-2, 100)).containsExactly("b \"<ü>\"", "c");
        assertThat(list.popFirst()).contains("a");
        assertThat(list.popLast()).contains("c");
        assertThat(list.popLast()).contains("b \"<ü>\"");
        assertThat(list.popLast()).isEmpty();
        assertThat(list.range(0, -1)).isEmpty();
    }

    @Test
    void info_and_stats_report_holders_and_waiters() throws Exception {
        assertThat(client.info("k").lock()).isEmpty();
        try (var hold = client.lock("k").lease(Duration.ofSeconds(10)).acquire(Duration.ZERO);
                var queued = fake.client("b").lock("k").enqueue();
                var other = client.semaphore("k", 3).acquire(Duration.ZERO)) {
            assertThat(queued.isGranted()).isFalse();
            var info = client.info("k");
            var lock = info.lock().orElseThrow();
            assertThat(lock.waiters()).isEqualTo(1);
            assertThat(lock.holders())
                    .containsExactly(
                            new KeyInfo.Holder(
                                    1,
                                    "a",
                                    hold.fence(),
                                    false,
                                    java.util.Optional.of(Duration.ofSeconds(10))));
            assertThat(info.semaphore().orElseThrow().limit()).isEqualTo(3);
            assertThat(info.semaphore().orElseThrow().held()).isEqualTo(1);
            var stats = client.stats().get(0);
            assertThat(stats.connections()).isEqualTo(2);
            assertThat(stats.locks()).containsExactly(new ServerStats.HeldKey("k", 1, 1, 1));
            assertThat(stats.semaphores()).containsExactly(new ServerStats.HeldKey("k", 1, 3, 0));
            assertThat(other.isHeld()).isTrue();
        }
    }

    @Test
    void json_is_read_strictly() {
        assertThat(JsonReader.read(" {\"a\":[1,-2.5e1,true,null,\"\\u00fc\\n\"]} "))
                .isEqualTo(
                        Map.of(
                                "a",
                                java.util.Arrays.asList(
                                        new java.math.BigDecimal("1"),
                                        new java.math.BigDecimal("-2.5e1"),
                                        true,
                                        null,
                                        "ü\n")));
        for (var bad :
                List.of(
                        "",
                        "{",
                        "[1,]",
                        "{\"a\"}",
                        "01",
                        "1 2",
                        "\"\\x\"",
                        "nul",
                        "[1",
                        "\"a",
                        "\"\\u12",
                        "+1",
                        "\"\n\"",
                        "1e9999",
                        "[".repeat(50) + "]".repeat(50))) {
            assertThatThrownBy(() -> JsonReader.read(bad))
                    .as(bad)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void keys_that_could_inject_a_line_are_rejected() {
        for (var bad :
                List.of(
                        "",
                        "a b",
                        "a\tb",
                        "a\nb",
                        "a\rb",
                        "x".repeat(257),
                        "ü".repeat(129),
                        "\uD83D")) {
            assertThatThrownBy(() -> client.lock(bad))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("key ");
            assertThatThrownBy(() -> client.counter(bad))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> client.kv().get(bad))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(client.lock("ü".repeat(128)).tryAcquire()).isPresent();
    }
}
