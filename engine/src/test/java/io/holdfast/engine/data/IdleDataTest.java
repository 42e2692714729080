package io.holdfast.engine.data;

import static io.holdfast.engine.data.DataScenario.IDLE;
import static io.holdfast.engine.data.DataScenario.Plain.NOTHING;
import static io.holdfast.engine.data.DataScenario.content;
import static io.holdfast.engine.data.DataScenario.number;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofDays;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

@DisplayName("Idle data")
class IdleDataTest {
    private final DataScenario data = new DataScenario();

    /** Advances the clock just far enough that unused data can be collected. */
    private void idle() {
        data.advance(IDLE);
        data.collect();
    }

    private void aMoment() {
        data.advance(ofNanos(1));
        data.collect();
    }

    @Nested
    @DisplayName("Counters")
    class Counters {
        @Test
        void a_counter_of_0_is_dropped_after_the_idle_time() {
            data.cset("hits", 0);
            idle();
            assertThat(data.counters()).as("exactly the idle time is not more").hasSize(1);
            aMoment();
            data.assertNothingIsLeft();
        }

        @Test
        void an_idle_counter_is_dropped_only_by_a_collection() {
            data.cset("hits", 0);
            data.advance(IDLE.multipliedBy(10));
            assertThat(data.counters()).containsExactly("hits");
        }

        @Test
        void a_counter_other_than_0_is_never_dropped() {
            data.cset("hits", 1);
            data.cset("debts", -1);
            for (int i = 0; i < 20; i++) {
                data.advance(ofDays(365));
                data.collect();
            }
            assertThat(data.counters()).containsExactly("hits", "debts");
            assertThat(data.engine.hasCollectable(data.now())).isFalse();
        }

        @Test
        void a_counter_is_dropped_after_it_has_become_0_again_in_any_way() {
            data.incr("up", -5);
            data.incr("up", 5);
            data.decr("down", 5);
            data.decr("down", -5);
            data.incr("set", 5);
            data.cset("set", 0);
            idle();
            assertThat(data.counters()).hasSize(3);
            aMoment();
            data.assertNothingIsLeft();
        }

        @Test
        void a_counter_that_is_not_0_any_more_is_not_dropped() {
            data.cset("hits", 0);
            data.cset("debts", 0);
            data.advance(ofSeconds(30));
            data.incr("hits", 1);
            data.decr("debts", 1);
            for (int i = 0; i < 2; i++) {
                data.advance(IDLE.multipliedBy(5));
                data.collect();
                assertThat(data.counters()).containsExactly("hits", "debts");
            }
            assertThat(data.get("hits")).isEqualTo(number(1));
            assertThat(data.get("debts")).isEqualTo(number(-1));
        }

        @Test
        void the_idle_time_of_a_counter_starts_at_its_last_0() {
            data.cset("hits", 0);
            for (int i = 0; i < 5; i++) {
                data.incr("hits", 1);
                data.advance(IDLE.multipliedBy(2));
                data.collect(); // examined, and not 0
                data.decr("hits", 1);
                data.advance(IDLE);
                data.collect(); // examined, and not idle for long enough
                assertThat(data.counters()).containsExactly("hits");
            }
            aMoment();
            data.assertNothingIsLeft();
        }

        @Test
        void a_counter_of_0_is_kept_by_being_read() {
            data.cset("hits", 0);
            data.advance(ofSeconds(50));
            data.get("hits");
            idle();
            assertThat(data.counters()).containsExactly("hits");
            aMoment();
            data.assertNothingIsLeft();
        }

        @Test
        void a_counter_of_0_is_kept_by_being_set_to_0_again() {
            data.cset("hits", 0);
            data.advance(ofSeconds(50));
            data.cset("hits", 0);
            data.incr("hits", 0);
            idle();
            assertThat(data.counters()).containsExactly("hits");
            aMoment();
            data.assertNothingIsLeft();
        }

        @Test
        void a_dropped_counter_starts_at_0_again() {
            data.incr("hits", 3);
            data.decr("hits", 3);
            idle();
            aMoment();
            assertThat(data.incr("hits", 1)).isEqualTo(number(1));
        }
    }

    @Nested
    @DisplayName("Values")
    class Values {
        @Test
        void a_value_that_is_not_used_is_dropped_after_the_idle_time() {
            data.kset("colour", "green");
            idle();
            assertThat(data.values()).as("exactly the idle time is not more").hasSize(1);
            aMoment();
            assertThat(data.kget("colour")).isEqualTo(NOTHING);
            data.assertNothingIsLeft();
        }

        @Test
        void an_idle_value_is_kept_by_being_read() {
            data.kset("colour", "green");
            for (int i = 0; i < 10; i++) {
                idle();
                assertThat(data.kget("colour")).isEqualTo(content("green"));
            }
            idle();
            aMoment();
            data.assertNothingIsLeft();
        }

        @Test
        void an_idle_value_is_kept_by_being_written() {
            data.kset("colour", "green");
            for (int i = 0; i < 10; i++) {
                idle();
                data.kset("colour", "green-" + i);
            }
            idle();
            assertThat(data.values()).containsExactly("colour");
            aMoment();
            data.assertNothingIsLeft();
        }

        @Test
        void an_idle_value_stays_for_its_time_to_live() {
            data.kset("colour", "green", ofDays(1));
            data.advance(ofDays(1).minusNanos(1));
            data.collect();
            assertThat(data.kget("colour")).isEqualTo(content("green"));
            data.advance(ofNanos(1));
            data.assertNothingIsLeft();
        }

        @Test
        void an_idle_value_with_an_unlimited_time_to_live_stays() {
            data.setClock(Long.MAX_VALUE - ofDays(2).toNanos());
            data.kset("colour", "green", ofDays(100_000));
            data.advance(ofDays(1));
            data.collect();
            assertThat(data.kget("colour")).isEqualTo(content("green"));
        }

        @Test
        void a_value_that_got_a_time_to_live_later_is_dropped_by_that() {
            data.kset("colour", "green");
            data.advance(ofSeconds(30));
            data.kset("colour", "red", IDLE.multipliedBy(10));
            data.advance(IDLE.multipliedBy(9));
            data.collect();
            assertThat(data.kget("colour")).isEqualTo(content("red"));
            data.advance(IDLE);
            data.assertNothingIsLeft();
        }

        @Test
        void a_value_that_lost_its_time_to_live_is_dropped_when_idle() {
            data.kset("colour", "green", ofSeconds(10));
            data.advance(ofSeconds(5));
            data.kset("colour", "red");
            idle();
            assertThat(data.values()).containsExactly("colour");
            aMoment();
            data.assertNothingIsLeft();
        }

        @Test
        void a_value_follows_its_latest_time_to_live() {
            for (int i = 0; i < 5; i++) {
                data.kset("colour", "green");
                data.kset("colour", "green", ofSeconds(10));
                data.kset("colour", "green", ofSeconds(20));
                data.kset("colour", "green");
                data.kset("colour", "green");
                idle();
                assertThat(data.values()).containsExactly("colour");
                data.kset("colour", "green", IDLE.multipliedBy(3));
                data.advance(IDLE.multipliedBy(2));
                data.collect();
                assertThat(data.values()).containsExactly("colour");
            }
            data.kset("colour", "green");
            data.kset("colour", "red", ofSeconds(1));
            data.advance(ofSeconds(1));
            data.assertNothingIsLeft();
        }

        @Test
        void a_deleted_value_leaves_no_deadline() {
            data.kset("colour", "green");
            data.kset("shape", "round", ofSeconds(100));
            data.kset("size", "huge", ofSeconds(100));
            data.kset("size", "huge");
            data.kdel("colour");
            data.kdel("shape");
            data.kdel("size");
            data.assertNothingIsLeft();
        }
    }

    @Nested
    @DisplayName("Lists")
    class Lists {
        @Test
        void an_idle_list_is_never_dropped() {
            data.list("jobs", "a", "b");
            for (int i = 0; i < 20; i++) {
                data.advance(ofDays(365));
                assertThat(data.engine.hasCollectable(data.now())).isFalse();
                data.collect();
            }
            assertThat(data.llen("jobs")).isEqualTo(number(2));
        }
    }

    @Test
    void idle_data_is_dropped_by_the_next_collection_if_the_idle_time_is_zero() {
        var eager = DataScenario.withIdleTime(ZERO);
        eager.cset("hits", 0);
        eager.kset("colour", "green");
        eager.cset("one", 1);
        eager.kset("shape", "round", ofSeconds(10));
        eager.list("jobs", "a");
        assertThat(eager.engine.hasCollectable(eager.now())).isTrue();
        eager.collect();
        assertThat(eager.counters()).containsExactly("one");
        assertThat(eager.values()).containsExactly("shape");
        assertThat(eager.lists()).containsExactly("jobs");
        assertThat(eager.engine.hasCollectable(eager.now())).isFalse();
    }

    @Test
    void idle_data_is_never_dropped_if_the_idle_time_exceeds_the_clock_range() {
        var patient = DataScenario.withIdleTime(ofNanos(Long.MAX_VALUE));
        patient.cset("hits", 0);
        patient.kset("colour", "green");
        patient.setClock(Long.MAX_VALUE - 1);
        assertThat(patient.engine.hasCollectable(patient.now())).isFalse();
        patient.collect();
        assertThat(patient.views().entries()).isEqualTo(2);
        patient.kset("colour", "red", 1);
        patient.kdel("colour");
        assertThat(patient.counters()).containsExactly("hits");
    }

    @Test
    void idle_data_is_dropped_in_slices_with_the_longest_idle_first() {
        for (int i = 0; i < 5; i++) {
            data.cset("data-" + i, 0);
            data.advance(ofNanos(1));
            data.kset("data-" + i, "text");
            data.advance(ofNanos(1));
        }
        data.advance(IDLE);
        for (int left = 10; left > 0; left -= 3) {
            assertThat(data.engine.hasCollectable(data.now())).isTrue();
            assertThat(data.views().entries()).isEqualTo(left);
            data.collect(3);
            int gone = 10 - Math.max(0, left - 3);
            assertThat(data.counters()).isEqualTo(names((gone + 1) / 2));
            assertThat(data.values()).isEqualTo(names(gone / 2));
        }
        assertThat(data.engine.hasCollectable(data.now())).isFalse();
        data.assertNothingIsLeft();
    }

    private static List<String> names(int from) {
        return IntStream.range(from, 5).mapToObj(i -> "data-" + i).toList();
    }

    @Test
    void a_collection_of_zero_keys_examines_no_data() {
        data.cset("hits", 0);
        data.advance(IDLE.plusNanos(1));
        data.collect(0);
        assertThat(data.counters()).containsExactly("hits");
    }

    @Test
    void a_collection_examines_as_many_entries_as_locks() {
        data.cset("hits", 0);
        data.kset("colour", "green");
        for (int i = 1; i <= 2; i++) {
            Key key = Key.of("lock-" + i);
            var effects = new ArrayList<Effect>();
            data.engine.apply(
                    new Command.Acquire(i, 1, ResourceKind.LOCK, key, 1, 0, Command.FOREVER, 7),
                    data.now(),
                    data.quotas,
                    effects);
            data.engine.apply(
                    new Command.CloseSession(i, 1), data.now(), data.quotas, new ArrayList<>());
        }
        data.advance(IDLE.plusNanos(1));
        data.collect(1);
        assertThat(data.quotas.entries).isEqualTo(1);
        assertThat(data.quotas.keys).isEqualTo(1);
        assertThat(data.engine.hasCollectable(data.now())).isTrue();
        data.collect(1);
        assertThat(data.quotas.keys).isZero();
        data.assertNothingIsLeft();
    }

    @Test
    void has_collectable_reports_idle_data_when_due() {
        assertThat(data.engine.hasCollectable(data.now())).isFalse();
        data.kset("colour", "green");
        assertThat(data.engine.hasCollectable(data.now() + IDLE.toNanos() + 1)).isTrue();
        data.advance(IDLE.plusNanos(1));
        data.collect();
        assertThat(data.engine.hasCollectable(data.now())).isFalse();
    }

    @Test
    void idle_data_has_no_tick_deadline() {
        data.cset("hits", 0);
        data.kset("colour", "green");
        assertThat(data.engine.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void much_idle_data_leaves_nothing_behind() {
        for (int i = 0; i < 60; i++) {
            data.cset("data-" + i, i % 3);
            data.kset("data-" + i, "text", i % 2 == 0 ? Command.FOREVER : i * 1_000_000L);
            data.list("data-" + i % 20, "item-" + i, "another");
        }
        for (int i = 0; i < 60; i++) {
            data.decr("data-" + i, i % 3);
        }
        for (int i = 0; i < 120; i++) {
            data.lpop("data-" + i % 20);
        }
        data.advance(IDLE.plusNanos(1));
        data.collect();
        data.assertNothingIsLeft();
    }
}
