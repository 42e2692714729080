package io.holdfast.engine.data;

import static io.holdfast.engine.Refusal.OUT_OF_RANGE;
import static io.holdfast.engine.data.DataScenario.Plain.DONE;
import static io.holdfast.engine.data.DataScenario.number;
import static io.holdfast.engine.data.DataScenario.refused;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.Duration.ofDays;

import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.view.CounterView;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;

@DisplayName("A counter")
class CounterEntryTest {
    private static final long MAX = Long.MAX_VALUE;
    private static final long MIN = Long.MIN_VALUE;

    private final DataScenario data = new DataScenario();

    @Test
    void a_counter_starts_at_0_and_returns_the_new_value() {
        assertThat(data.incr("hits", 1)).isEqualTo(number(1));
        assertThat(data.incr("hits", 41)).isEqualTo(number(42));
        assertThat(data.decr("hits", 2)).isEqualTo(number(40));
        assertThat(data.decr("misses", 5)).isEqualTo(number(-5));
        assertThat(data.get("hits")).isEqualTo(number(40));
    }

    @Test
    void a_counter_takes_negative_deltas() {
        assertThat(data.incr("hits", -3)).isEqualTo(number(-3));
        assertThat(data.decr("hits", -10)).isEqualTo(number(7));
    }

    @Test
    void a_counter_is_created_by_a_delta_of_0_too() {
        assertThat(data.incr("up", 0)).isEqualTo(number(0));
        assertThat(data.decr("down", 0)).isEqualTo(number(0));
        assertThat(data.counters()).containsExactly("up", "down");
    }

    @Test
    void an_unknown_counter_reads_as_0_and_is_not_created_by_reading() {
        assertThat(data.get("hits")).isEqualTo(number(0));
        data.assertNothingIsLeft();
    }

    @Test
    void a_counter_can_be_set_to_any_number() {
        assertThat(data.cset("hits", 7)).isEqualTo(DONE);
        assertThat(data.get("hits")).isEqualTo(number(7));
        assertThat(data.cset("hits", MIN)).isEqualTo(DONE);
        assertThat(data.get("hits")).isEqualTo(number(MIN));
        assertThat(data.cset("zero", 0)).isEqualTo(DONE);
        assertThat(data.counters()).containsExactly("hits", "zero");
    }

    @ParameterizedTest
    @CsvSource({
        "9223372036854775806, 1, 9223372036854775807",
        "0, 9223372036854775807, 9223372036854775807",
        "0, -9223372036854775808, -9223372036854775808",
        "-1, -9223372036854775807, -9223372036854775808",
        "9223372036854775807, -9223372036854775808, -1",
        "-9223372036854775808, 9223372036854775807, -1"
    })
    void a_counter_can_reach_the_limits_of_64_bits(long from, long delta, long to) {
        data.cset("hits", from);
        assertThat(data.incr("hits", delta)).isEqualTo(number(to));
    }

    @ParameterizedTest
    @CsvSource({
        "9223372036854775807, 1",
        "1, 9223372036854775807",
        "9223372036854775807, 9223372036854775807",
        "-9223372036854775808, -1",
        "-1, -9223372036854775808",
        "-9223372036854775808, -9223372036854775808"
    })
    void a_counter_does_not_overflow_by_adding(long from, long delta) {
        data.cset("hits", from);
        assertThat(data.incr("hits", delta)).isEqualTo(refused(OUT_OF_RANGE));
        assertThat(data.get("hits")).isEqualTo(number(from));
    }

    @ParameterizedTest
    @CsvSource({
        "-1, -9223372036854775808, 9223372036854775807",
        "-9223372036854775808, -9223372036854775808, 0",
        "-9223372036854775807, 1, -9223372036854775808",
        "-1, 9223372036854775807, -9223372036854775808",
        "9223372036854775807, 9223372036854775807, 0",
        "0, 9223372036854775807, -9223372036854775807"
    })
    void a_counter_can_reach_the_limits_of_64_bits_by_subtracting(long from, long delta, long to) {
        data.cset("hits", from);
        assertThat(data.decr("hits", delta)).isEqualTo(number(to));
    }

    @ParameterizedTest
    @CsvSource({
        "0, -9223372036854775808",
        "1, -9223372036854775808",
        "9223372036854775807, -1",
        "9223372036854775807, -9223372036854775808",
        "-9223372036854775808, 1",
        "-2, 9223372036854775807"
    })
    void a_counter_does_not_overflow_by_subtracting(long from, long delta) {
        data.cset("hits", from);
        assertThat(data.decr("hits", delta)).isEqualTo(refused(OUT_OF_RANGE));
        assertThat(data.get("hits")).isEqualTo(number(from));
    }

    @Test
    void a_counter_is_not_created_by_a_change_out_of_range() {
        assertThat(data.decr("hits", MIN)).isEqualTo(refused(OUT_OF_RANGE));
        data.assertNothingIsLeft();
    }

    @Test
    void a_counter_is_independent_of_other_types_of_the_same_key() {
        data.incr("x", 1);
        assertThat(data.kget("x")).isEqualTo(DataScenario.Plain.NOTHING);
        assertThat(data.llen("x")).isEqualTo(number(0));
        data.kset("x", "text");
        data.rpush("x", "item");
        data.kdel("x");
        data.lpop("x");
        assertThat(data.get("x")).isEqualTo(number(1));
    }

    @Test
    void counters_of_one_key_in_two_namespaces_are_independent() {
        Key other = Key.of(new Namespace("tenant"), Key.of("hits").bytes());
        data.incr("hits", 1);
        data.submit(1, other, new DataOperation.Increment(10));
        assertThat(data.incr("hits", 1)).isEqualTo(number(2));
        assertThat(data.submit(1, other, new DataOperation.GetCounter())).isEqualTo(number(10));
    }

    @Test
    void a_counter_belongs_to_no_session() {
        var engine = data.engine;
        data.submit(1, Key.of("hits"), new DataOperation.Increment(MAX));
        engine.apply(new Command.CloseSession(1, 0), data.now(), data.quotas, new ArrayList<>());
        assertThat(data.submit(2, Key.of("hits"), new DataOperation.GetCounter()))
                .isEqualTo(number(MAX));
    }

    @Test
    void a_counter_has_no_deadline() {
        data.incr("hits", 1);
        data.cset("zero", 0);
        assertThat(data.engine.nextDeadlineNanos()).isEqualTo(MAX);
        data.advance(ofDays(10_000));
        assertThat(data.counters()).containsExactly("hits", "zero");
    }

    @Test
    void a_counter_is_shown_with_its_value_and_idle_time() {
        data.cset("hits", MIN);
        data.advance(ofDays(1));
        assertThat(data.views().counters())
                .containsExactly(new CounterView(Key.of("hits"), MIN, ofDays(1).toNanos()));
        data.get("hits");
        assertThat(data.views().counters().getFirst().idleNanos()).isZero();
        data.advance(ofDays(1));
        data.incr("hits", 1);
        assertThat(data.views().counters().getFirst().idleNanos()).isZero();
    }
}
