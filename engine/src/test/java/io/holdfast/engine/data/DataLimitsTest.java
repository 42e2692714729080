package io.holdfast.engine.data;

import static io.holdfast.engine.Refusal.LIST_FULL;
import static io.holdfast.engine.Refusal.OUT_OF_RANGE;
import static io.holdfast.engine.Refusal.TOO_MANY_ENTRIES;
import static io.holdfast.engine.data.DataScenario.Plain.DONE;
import static io.holdfast.engine.data.DataScenario.Plain.NOTHING;
import static io.holdfast.engine.data.DataScenario.content;
import static io.holdfast.engine.data.DataScenario.items;
import static io.holdfast.engine.data.DataScenario.number;
import static io.holdfast.engine.data.DataScenario.refused;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.lock.TestQuotas;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

@DisplayName("Limits of data")
class DataLimitsTest {
    @Nested
    @DisplayName("Entries")
    class Entries {
        private final DataScenario data = new DataScenario();

        @Test
        void the_limit_of_entries_is_shared_by_counters_values_and_lists() {
            data.quotas.maxEntries = 3;
            assertThat(data.incr("x", 1)).isEqualTo(number(1));
            assertThat(data.kset("x", "text")).isEqualTo(DONE);
            assertThat(data.rpush("x", "item")).isEqualTo(number(1));
            assertAllAreRefused("y");
        }

        @Test
        void the_limit_of_entries_can_be_reached_by_one_type_alone() {
            data.quotas.maxEntries = 2;
            for (var fill :
                    List.<Consumer<String>>of(
                            name -> data.cset(name, 0),
                            name -> data.kset(name, "text", ofSeconds(1)),
                            name -> data.lpush(name, "item"))) {
                fill.accept("one");
                fill.accept("two");
                assertAllAreRefused("three");
                data.kdel("one");
                data.kdel("two");
                data.lpop("one");
                data.lpop("two");
                data.advance(DataScenario.IDLE.plusNanos(1));
                data.collect();
                data.assertNothingIsLeft();
            }
        }

        @Test
        void the_limit_of_entries_leaves_existing_entries_usable() {
            data.incr("x", 1);
            data.kset("x", "text");
            data.rpush("x", "item");
            data.quotas.maxEntries = 3;
            assertAllAreRefused("y");
            assertThat(data.incr("x", 1)).isEqualTo(number(2));
            assertThat(data.decr("x", 5)).isEqualTo(number(-3));
            assertThat(data.cset("x", 9)).isEqualTo(DONE);
            assertThat(data.get("x")).isEqualTo(number(9));
            assertThat(data.kset("x", "other", ofSeconds(5))).isEqualTo(DONE);
            assertThat(data.kset("x", "another")).isEqualTo(DONE);
            assertThat(data.kget("x")).isEqualTo(content("another"));
            assertThat(data.lpush("x", "first")).isEqualTo(number(2));
            assertThat(data.rpush("x", "last")).isEqualTo(number(3));
            assertThat(data.lrange("x", 0, -1)).isEqualTo(items("first", "item", "last"));
            assertThat(data.rpop("x")).isEqualTo(content("last"));
        }

        @Test
        void the_limit_of_entries_does_not_affect_reads() {
            data.quotas.maxEntries = 1;
            data.incr("x", 1);
            assertThat(data.get("y")).isEqualTo(number(0));
            assertThat(data.kget("y")).isEqualTo(NOTHING);
            assertThat(data.kdel("y")).isEqualTo(DONE);
            assertThat(data.lpop("y")).isEqualTo(NOTHING);
            assertThat(data.rpop("y")).isEqualTo(NOTHING);
            assertThat(data.llen("y")).isEqualTo(number(0));
            assertThat(data.lrange("y", 0, -1)).isEqualTo(items());
        }

        @Test
        void deleting_a_value_frees_an_entry_of_the_limit() {
            data.quotas.maxEntries = 1;
            data.kset("x", "text");
            assertAllAreRefused("y");
            data.kdel("x");
            assertThat(data.rpush("y", "item")).isEqualTo(number(1));
        }

        @Test
        void an_expired_value_frees_an_entry_of_the_limit_at_once() {
            data.quotas.maxEntries = 1;
            data.kset("x", "text", ofSeconds(5));
            data.advance(ofSeconds(5).minusNanos(1));
            assertAllAreRefused("y");
            data.advanceSilently(ofNanos(1));
            List<Effect> effects = new ArrayList<>();
            data.engine.apply(
                    new Command.Data(1, 1, Key.of("y"), new DataOperation.Increment(3)),
                    data.now(),
                    data.quotas,
                    effects);
            assertThat(effects).containsExactly(new Effect.Counted(1, 1, 3));
        }

        @Test
        void popping_the_last_item_of_a_list_frees_an_entry_of_the_limit() {
            data.quotas.maxEntries = 1;
            data.list("x", "a", "b");
            data.lpop("x");
            assertAllAreRefused("y");
            data.rpop("x");
            assertThat(data.kset("y", "text")).isEqualTo(DONE);
        }

        @Test
        void collecting_a_counter_frees_an_entry_of_the_limit() {
            data.quotas.maxEntries = 1;
            data.incr("x", 0);
            data.advance(DataScenario.IDLE.plusNanos(1));
            assertAllAreRefused("y");
            data.collect();
            assertThat(data.incr("y", 1)).isEqualTo(number(1));
        }

        @Test
        void the_limit_of_entries_is_never_exceeded() {
            data.quotas.maxEntries = 7;
            for (int i = 0; i < 30; i++) {
                data.cset("name-" + i, i);
                data.kset("name-" + i, "text");
                data.rpush("name-" + i, "item");
            }
            assertThat(data.views().entries()).isEqualTo(7);
        }

        @Test
        void the_limit_of_entries_is_independent_of_locks() {
            data.quotas.maxEntries = 1;
            data.quotas.maxKeys = 1;
            assertThat(data.incr("x", 1)).isEqualTo(number(1));
            List<Effect> effects = new ArrayList<>();
            data.engine.apply(
                    new Command.Acquire(
                            1, 1, ResourceKind.LOCK, Key.of("x"), 1, 0, Command.FOREVER, 7),
                    data.now(),
                    data.quotas,
                    effects);
            assertThat(effects).hasSize(1).first().isInstanceOf(Effect.Granted.class);
            assertThat(data.quotas.keys).isEqualTo(1);
            assertThat(data.quotas.entries).isEqualTo(1);
        }

        @Test
        void out_of_range_is_reported_before_the_limit_of_entries() {
            data.quotas.maxEntries = 1;
            data.incr("x", 1);
            assertThat(data.decr("y", Long.MIN_VALUE)).isEqualTo(refused(OUT_OF_RANGE));
        }

        private void assertAllAreRefused(String name) {
            assertRefused(data, name, TOO_MANY_ENTRIES);
        }
    }

    @Nested
    @DisplayName("Memory")
    class Memory {
        private final DataScenario data = new DataScenario();

        @Test
        void the_memory_budget_refuses_new_entries() {
            data.quotas.memoryLeft = false;
            assertRefused(data, "x", TOO_MANY_ENTRIES);
            data.assertNothingIsLeft();
        }

        @Test
        void the_memory_budget_refuses_an_item_as_a_full_list() {
            data.list("x", "a");
            data.quotas.memoryLeft = false;
            assertThat(data.lpush("x", "b")).isEqualTo(refused(LIST_FULL));
            assertThat(data.rpush("x", "b")).isEqualTo(refused(LIST_FULL));
            assertThat(data.lrange("x", 0, -1)).isEqualTo(items("a"));
        }

        @Test
        void operations_that_need_no_more_memory_are_not_refused() {
            data.incr("x", 1);
            data.kset("x", "text", ofSeconds(9));
            data.list("x", "a", "b");
            data.quotas.memoryLeft = false;
            assertThat(data.incr("x", 1)).isEqualTo(number(2));
            assertThat(data.cset("x", 0)).isEqualTo(DONE);
            assertThat(data.kset("x", "other")).isEqualTo(DONE);
            assertThat(data.kget("x")).isEqualTo(content("other"));
            assertThat(data.lpop("x")).isEqualTo(content("a"));
            assertThat(data.llen("x")).isEqualTo(number(1));
            assertThat(data.rpop("x")).isEqualTo(content("b"));
            assertThat(data.kdel("x")).isEqualTo(DONE);
            data.advance(DataScenario.IDLE.plusNanos(1));
            data.collect();
            data.assertNothingIsLeft();
        }

        @Test
        void an_entry_whose_content_does_not_fit_the_memory_budget_is_returned() {
            // The entry uses the last memory, and its content does not fit.
            TestQuotas scarce =
                    new TestQuotas() {
                        @Override
                        public boolean reserveContent(int bytes) {
                            return false;
                        }
                    };
            List<Effect> effects = new ArrayList<>();
            for (DataOperation operation :
                    List.of(
                            new DataOperation.SetValue(ByteString.EMPTY, Command.FOREVER),
                            new DataOperation.Push(DataOperation.End.BACK, ByteString.EMPTY))) {
                data.engine.apply(
                        new Command.Data(1, 1, Key.of("x"), operation),
                        data.now(),
                        scarce,
                        effects);
            }
            assertThat(effects)
                    .containsExactly(
                            new Effect.Refused(1, 1, TOO_MANY_ENTRIES),
                            new Effect.Refused(1, 1, TOO_MANY_ENTRIES));
            data.assertNothingIsLeft();
        }

        @Test
        void entries_are_accepted_again_once_memory_is_available() {
            data.list("x", "a");
            data.quotas.memoryLeft = false;
            data.rpush("x", "b");
            data.quotas.memoryLeft = true;
            assertThat(data.rpush("x", "c")).isEqualTo(number(2));
            assertThat(data.kset("y", "text")).isEqualTo(DONE);
        }
    }

    @Nested
    @DisplayName("List length")
    class Length {
        private final DataScenario data = DataScenario.withMaxListLength(3);

        @Test
        void an_item_beyond_the_list_limit_is_refused_at_either_end() {
            data.list("jobs", "a", "b", "c");
            assertThat(data.rpush("jobs", "d")).isEqualTo(refused(LIST_FULL));
            assertThat(data.lpush("jobs", "d")).isEqualTo(refused(LIST_FULL));
            assertThat(data.lrange("jobs", 0, -1)).isEqualTo(items("a", "b", "c"));
        }

        @Test
        void popping_an_item_of_a_full_list_allows_another_push() {
            data.list("jobs", "a", "b", "c");
            data.rpop("jobs");
            assertThat(data.lpush("jobs", "z")).isEqualTo(number(3));
            assertThat(data.lpush("jobs", "y")).isEqualTo(refused(LIST_FULL));
        }

        @Test
        void the_list_limit_applies_to_each_list() {
            data.list("jobs", "a", "b", "c");
            data.list("others", "a", "b");
            assertThat(data.rpush("others", "c")).isEqualTo(number(3));
        }

        @Test
        void a_list_limit_of_one_allows_one_item() {
            var narrow = DataScenario.withMaxListLength(1);
            assertThat(narrow.rpush("jobs", "a")).isEqualTo(number(1));
            assertThat(narrow.rpush("jobs", "b")).isEqualTo(refused(LIST_FULL));
        }

        @Test
        void a_list_limit_of_zero_is_no_limit() {
            var wide = DataScenario.withMaxListLength(0);
            for (int i = 1; i <= 100; i++) {
                assertThat(wide.rpush("jobs", "x")).isEqualTo(number(i));
            }
        }

        @Test
        void the_list_limit_is_checked_before_memory_and_entries() {
            data.list("jobs", "a", "b", "c");
            data.quotas.maxEntries = 1;
            data.quotas.memoryLeft = false;
            assertThat(data.rpush("jobs", "d")).isEqualTo(refused(LIST_FULL));
            assertThat(data.rpush("others", "d")).isEqualTo(refused(TOO_MANY_ENTRIES));
        }

        @Test
        void a_negative_list_limit_is_rejected() {
            assertThatThrownBy(() -> new EngineSettings(0, 0, true, -1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("maxListLength")
                    .hasMessageContaining("-1");
            assertThatCode(() -> new EngineSettings(0, 0, true, 0)).doesNotThrowAnyException();
            assertThat(new EngineSettings(1, 2, true).maxListLength()).isZero();
        }
    }

    /** Asserts that every way to create an entry is refused and changes nothing. */
    private static void assertRefused(DataScenario data, String name, Refusal reason) {
        assertThat(data.incr(name, 1)).isEqualTo(refused(reason));
        assertThat(data.decr(name, 1)).isEqualTo(refused(reason));
        assertThat(data.cset(name, 1)).isEqualTo(refused(reason));
        assertThat(data.kset(name, "text")).isEqualTo(refused(reason));
        assertThat(data.kset(name, "text", ofSeconds(1))).isEqualTo(refused(reason));
        assertThat(data.lpush(name, "item")).isEqualTo(refused(reason));
        assertThat(data.rpush(name, "item")).isEqualTo(refused(reason));
        assertThat(data.get(name)).isEqualTo(number(0));
        assertThat(data.kget(name)).isEqualTo(NOTHING);
        assertThat(data.llen(name)).isEqualTo(number(0));
    }
}
