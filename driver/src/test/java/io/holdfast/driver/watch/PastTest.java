package io.holdfast.driver.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Event;
import io.holdfast.engine.Key;
import io.holdfast.engine.Kind;
import io.holdfast.engine.Mode;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.LongStream;

@DisplayName("The past")
class PastTest {
    private final Past past = new Past();

    static Event event(Event.Type type, Kind kind, Key key, long at) {
        return new Event(type, kind, key, 1, Mode.WRITE, at, at, 0, 0, 1, 0);
    }

    private void remember(Kind kind, String key, long at) {
        past.remember(event(Event.Type.ACQUIRED, kind, Key.of(key), at));
    }

    private List<Long> times(Kind kind, String key) {
        return past.recall(kind, Key.of(key)).stream().map(Event::atNanos).toList();
    }

    @Test
    void of_an_unknown_key_is_empty() {
        assertThat(times(Kind.MUTEX, "a")).isEmpty();
    }

    @Test
    void is_the_last_events_in_order_however_many_there_were() {
        for (long at = 1; at <= 5 * Past.EVENTS; at++) {
            remember(Kind.MUTEX, "a", at);
            long first = Math.max(1, at - Past.EVENTS + 1);
            assertThat(times(Kind.MUTEX, "a"))
                    .containsExactlyElementsOf(LongStream.rangeClosed(first, at).boxed().toList());
        }
    }

    @Test
    void is_kept_apart_by_kind() {
        remember(Kind.MUTEX, "a", 1);
        remember(Kind.SEMAPHORE, "a", 2);
        assertThat(times(Kind.MUTEX, "a")).containsExactly(1L);
        assertThat(times(Kind.SEMAPHORE, "a")).containsExactly(2L);
        assertThat(times(Kind.SHARED, "a")).isEmpty();
    }

    @Test
    void is_that_of_the_keys_used_last() {
        for (int i = 0; i <= Past.KEYS; i++) {
            remember(Kind.MUTEX, "key" + i, i);
            remember(Kind.MUTEX, "used", i);
        }
        assertThat(times(Kind.MUTEX, "key0")).isEmpty();
        assertThat(times(Kind.MUTEX, "key1")).isEmpty();
        assertThat(times(Kind.MUTEX, "key2")).containsExactly(2L);
        assertThat(times(Kind.MUTEX, "used")).hasSize(Past.EVENTS);
    }

    @Test
    void of_a_long_key_is_not_kept() {
        String longest = "k".repeat(Past.LONGEST_KEY);
        remember(Kind.MUTEX, longest, 1);
        remember(Kind.MUTEX, longest + "k", 2);
        assertThat(times(Kind.MUTEX, longest)).containsExactly(1L);
        assertThat(times(Kind.MUTEX, longest + "k")).isEmpty();
    }

    @Test
    void keeps_a_key_once_even_if_each_event_brings_its_own() {
        remember(Kind.SHARED, "a", 1);
        remember(Kind.SHARED, "a", 2);
        List<Event> all = past.recall(Kind.SHARED, Key.of("a"));
        assertThat(all.get(1).key()).isSameAs(all.get(0).key());
        assertThat(all.get(1)).isEqualTo(event(Event.Type.ACQUIRED, Kind.SHARED, Key.of("a"), 2));
    }
}
