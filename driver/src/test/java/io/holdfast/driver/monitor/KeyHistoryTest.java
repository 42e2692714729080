package io.holdfast.driver.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Key;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.LongStream;

@DisplayName("The history of a key")
class KeyHistoryTest {
    private final KeyHistory keyHistory = new KeyHistory();

    static KeyEvent event(KeyEvent.Type type, ResourceKind resourceKind, Key key, long at) {
        return new KeyEvent(type, resourceKind, key, 1, ReadWriteMode.WRITE, at, at, 0, 0, 1, 0);
    }

    private void remember(ResourceKind resourceKind, String key, long at) {
        keyHistory.record(event(KeyEvent.Type.ACQUIRED, resourceKind, Key.of(key), at));
    }

    private List<Long> times(ResourceKind resourceKind, String key) {
        return keyHistory.eventsOf(resourceKind, Key.of(key)).stream()
                .map(KeyEvent::atNanos)
                .toList();
    }

    @Test
    void the_history_of_an_unknown_key_is_empty() {
        assertThat(times(ResourceKind.LOCK, "a")).isEmpty();
    }

    @Test
    void the_history_has_the_latest_events_in_order() {
        for (long at = 1; at <= 5 * KeyHistory.EVENTS; at++) {
            remember(ResourceKind.LOCK, "a", at);
            long first = Math.max(1, at - KeyHistory.EVENTS + 1);
            assertThat(times(ResourceKind.LOCK, "a"))
                    .containsExactlyElementsOf(LongStream.rangeClosed(first, at).boxed().toList());
        }
    }

    @Test
    void the_history_is_separate_for_each_kind() {
        remember(ResourceKind.LOCK, "a", 1);
        remember(ResourceKind.SEMAPHORE, "a", 2);
        assertThat(times(ResourceKind.LOCK, "a")).containsExactly(1L);
        assertThat(times(ResourceKind.SEMAPHORE, "a")).containsExactly(2L);
        assertThat(times(ResourceKind.SHARED, "a")).isEmpty();
    }

    @Test
    void the_history_is_kept_for_the_most_recently_used_keys() {
        for (int i = 0; i <= KeyHistory.KEYS; i++) {
            remember(ResourceKind.LOCK, "key" + i, i);
            remember(ResourceKind.LOCK, "used", i);
        }
        assertThat(times(ResourceKind.LOCK, "key0")).isEmpty();
        assertThat(times(ResourceKind.LOCK, "key1")).isEmpty();
        assertThat(times(ResourceKind.LOCK, "key2")).containsExactly(2L);
        assertThat(times(ResourceKind.LOCK, "used")).hasSize(KeyHistory.EVENTS);
    }

    @Test
    void the_history_of_a_long_key_is_not_kept() {
        String longest = "k".repeat(KeyHistory.MAX_KEY_BYTES);
        remember(ResourceKind.LOCK, longest, 1);
        remember(ResourceKind.LOCK, longest + "k", 2);
        assertThat(times(ResourceKind.LOCK, longest)).containsExactly(1L);
        assertThat(times(ResourceKind.LOCK, longest + "k")).isEmpty();
    }

    @Test
    void the_history_keeps_one_key_object_for_all_events_of_a_key() {
        remember(ResourceKind.SHARED, "a", 1);
        remember(ResourceKind.SHARED, "a", 2);
        List<KeyEvent> all = keyHistory.eventsOf(ResourceKind.SHARED, Key.of("a"));
        assertThat(all.get(1).key()).isSameAs(all.get(0).key());
        assertThat(all.get(1))
                .isEqualTo(event(KeyEvent.Type.ACQUIRED, ResourceKind.SHARED, Key.of("a"), 2));
    }
}
