package io.holdfast.engine.data;

import static io.holdfast.engine.data.DataScenario.Plain.NOTHING;
import static io.holdfast.engine.data.DataScenario.content;
import static io.holdfast.engine.data.DataScenario.items;
import static io.holdfast.engine.data.DataScenario.number;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.time.Duration.ofSeconds;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.lock.EngineObjectCount;
import io.holdfast.engine.view.ListView;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;

@DisplayName("A list")
class ListTest {
    private static final long MAX = Long.MAX_VALUE;
    private static final long MIN = Long.MIN_VALUE;

    private final DataScenario data = new DataScenario();

    @Test
    void a_list_grows_at_both_ends_and_returns_its_length() {
        assertThat(data.rpush("jobs", "b")).isEqualTo(number(1));
        assertThat(data.lpush("jobs", "a")).isEqualTo(number(2));
        assertThat(data.rpush("jobs", "c")).isEqualTo(number(3));
        assertThat(data.llen("jobs")).isEqualTo(number(3));
        assertThat(data.lrange("jobs", 0, -1)).isEqualTo(items("a", "b", "c"));
    }

    @Test
    void a_list_can_be_created_by_a_push_at_either_end() {
        data.lpush("one", "x");
        data.rpush("two", "x");
        assertThat(data.lrange("one", 0, -1)).isEqualTo(items("x"));
        assertThat(data.lrange("two", 0, -1)).isEqualTo(items("x"));
    }

    @Test
    void a_list_shrinks_at_both_ends() {
        data.list("jobs", "a", "b", "c", "d");
        assertThat(data.lpop("jobs")).isEqualTo(content("a"));
        assertThat(data.rpop("jobs")).isEqualTo(content("d"));
        assertThat(data.lrange("jobs", 0, -1)).isEqualTo(items("b", "c"));
        assertThat(data.rpop("jobs")).isEqualTo(content("c"));
        assertThat(data.lpop("jobs")).isEqualTo(content("b"));
    }

    @Test
    void a_list_can_be_used_as_a_queue() {
        for (int i = 0; i < 300; i++) {
            data.rpush("queue", "job-" + i);
        }
        for (int i = 0; i < 300; i++) {
            assertThat(data.lpop("queue")).isEqualTo(content("job-" + i));
        }
        data.assertNothingIsLeft();
    }

    @Test
    void a_list_can_be_used_as_a_stack() {
        for (int i = 0; i < 300; i++) {
            data.lpush("stack", "plate-" + i);
        }
        for (int i = 299; i >= 0; i--) {
            assertThat(data.lpop("stack")).isEqualTo(content("plate-" + i));
        }
        data.assertNothingIsLeft();
    }

    @Test
    void a_list_ceases_to_exist_with_its_last_item() {
        data.list("front", "x");
        data.list("back", "x");
        data.lpop("front");
        data.rpop("back");
        assertThat(data.lists()).isEmpty();
        assertThat(data.llen("front")).isEqualTo(number(0));
        assertThat(data.lpop("front")).isEqualTo(NOTHING);
        data.assertNothingIsLeft();
        assertThat(data.rpush("front", "y")).isEqualTo(number(1));
    }

    @Test
    void an_unknown_list_is_empty_and_is_not_created_by_reading() {
        assertThat(data.lpop("jobs")).isEqualTo(NOTHING);
        assertThat(data.rpop("jobs")).isEqualTo(NOTHING);
        assertThat(data.llen("jobs")).isEqualTo(number(0));
        assertThat(data.lrange("jobs", 0, -1)).isEqualTo(items());
        assertThat(data.lrange("jobs", MIN, MAX)).isEqualTo(items());
        assertThat(data.lrange("jobs", -1, -1)).isEqualTo(items());
        data.assertNothingIsLeft();
    }

    @Test
    void a_list_holds_the_same_item_as_often_as_it_was_pushed() {
        data.list("jobs", "a", "a", "a");
        assertThat(data.lrange("jobs", 0, -1)).isEqualTo(items("a", "a", "a"));
        assertThat(data.quotas.contentBytes).isEqualTo(3 * 64);
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "nothing",
            value = {
                "0, 4, abcde",
                "0, -1, abcde",
                "0, 0, a",
                "1, 3, bcd",
                "4, 4, e",
                "-1, -1, e",
                "-5, -5, a",
                "-2, -1, de",
                "-3, 3, cd",
                "1, -2, bcd",
                "3, -3, nothing",
                "3, 1, nothing",
                "-1, -2, nothing",
                "-1, 0, nothing",
                "0, 5, abcde",
                "0, 100, abcde",
                "-6, 1, ab",
                "-100, 1, ab",
                "-100, 100, abcde",
                "-100, -5, a",
                "-100, -6, nothing",
                "0, -5, a",
                "0, -6, nothing",
                "0, -100, nothing",
                "4, 5, e",
                "5, 5, nothing",
                "5, 100, nothing",
                "100, 200, nothing",
                "0, 9223372036854775807, abcde",
                "-9223372036854775808, 9223372036854775807, abcde",
                "-9223372036854775808, -1, abcde",
                "-9223372036854775808, 0, a",
                "-9223372036854775808, -9223372036854775808, nothing",
                "9223372036854775807, 9223372036854775807, nothing",
                "9223372036854775807, -9223372036854775808, nothing",
                "0, -9223372036854775808, nothing",
                "2, 4294967296, cde",
                "4294967296, 4294967300, nothing",
                "-4294967296, 4294967296, abcde",
                "-2147483649, 2147483648, abcde"
            })
    void a_range_of_a_list_is_clamped_to_its_ends(long first, long last, String expected) {
        data.list("jobs", "c", "d", "e");
        data.lpush("jobs", "b");
        data.lpush("jobs", "a");
        List<ByteString> chosen =
                expected == null
                        ? List.of()
                        : expected.chars()
                                .mapToObj(c -> ByteString.of(Character.toString(c)))
                                .toList();
        assertThat(data.lrange("jobs", first, last)).isEqualTo(new DataScenario.Items(chosen));
        assertThat(data.llen("jobs")).isEqualTo(number(5));
    }

    @Test
    void a_range_of_a_list_is_not_affected_by_later_changes() {
        data.list("jobs", "a", "b", "c");
        List<Effect> effects = new ArrayList<>();
        data.engine.apply(
                new Command.Data(1, 1, Key.of("jobs"), new DataOperation.Range(0, -1)),
                data.now(),
                data.quotas,
                effects);
        List<ByteString> before = ((Effect.Items) effects.getFirst()).items();
        data.lpop("jobs");
        data.rpush("jobs", "d");
        data.lpush("jobs", "z");
        assertThat(before)
                .containsExactly(ByteString.of("a"), ByteString.of("b"), ByteString.of("c"));
        assertThatThrownBy(() -> before.set(0, ByteString.EMPTY))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void a_list_is_independent_of_other_types_of_the_same_key() {
        data.rpush("x", "item");
        assertThat(data.kget("x")).isEqualTo(NOTHING);
        assertThat(data.get("x")).isEqualTo(number(0));
        data.incr("x", 3);
        data.kset("x", "text");
        data.kdel("x");
        assertThat(data.lpop("x")).isEqualTo(content("item"));
        assertThat(data.get("x")).isEqualTo(number(3));
    }

    @Test
    void a_list_is_shown_with_its_length_and_its_idle_time() {
        data.list("jobs", "a", "b", "c");
        data.advance(ofSeconds(5));
        assertThat(data.views().lists())
                .containsExactly(new ListView(Key.of("jobs"), 3, ofSeconds(5).toNanos()));
        data.rpop("jobs");
        assertThat(data.views().lists()).containsExactly(new ListView(Key.of("jobs"), 2, 0));
        data.advance(ofSeconds(5));
        data.lrange("jobs", 0, 0);
        assertThat(data.views().lists().getFirst().idleNanos()).isZero();
        data.advance(ofSeconds(5));
        data.llen("jobs");
        assertThat(data.views().lists().getFirst().idleNanos()).isZero();
        data.advance(ofSeconds(5));
        data.lpush("jobs", "z");
        assertThat(data.views().lists().getFirst().idleNanos()).isZero();
    }

    @Test
    void a_list_has_no_deadline() {
        data.list("jobs", "a", "b");
        assertThat(data.engine.nextDeadlineNanos()).isEqualTo(MAX);
        assertThat(data.engine.hasCollectable(MAX)).isFalse();
    }

    @Test
    void a_list_that_was_long_once_does_not_stay_large() {
        Command push =
                new Command.Data(
                        1,
                        1,
                        Key.of("jobs"),
                        new DataOperation.Push(DataOperation.End.BACK, ByteString.EMPTY));
        for (int i = 0; i < 10_000; i++) {
            data.engine.apply(push, data.now(), data.quotas, new ArrayList<>());
        }
        long full = EngineObjectCount.of(data.engine);
        for (int i = 1; i < 10_000; i++) {
            data.lpop("jobs");
        }
        long one = EngineObjectCount.of(data.engine);
        DataScenario other = new DataScenario();
        other.rpush("jobs", "");
        assertThat(one).isEqualTo(EngineObjectCount.of(other.engine));
        assertThat(full).isGreaterThan(one + 9_000);
    }
}
