package io.holdfast.engine.data;

import static io.holdfast.engine.data.DataScenario.Plain.DONE;
import static io.holdfast.engine.data.DataScenario.Plain.NOTHING;
import static io.holdfast.engine.data.DataScenario.content;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Key;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.view.ValueView;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A value")
class ValueEntryTest {
    /** The longest time to live that a client can specify. */
    private static final long LONGEST = 9_223_372_036_000_000_000L;

    private final DataScenario data = new DataScenario();

    @Test
    void a_value_is_read_as_it_was_set() {
        assertThat(data.kset("colour", "green")).isEqualTo(DONE);
        assertThat(data.kget("colour")).isEqualTo(content("green"));
        assertThat(data.kget("colour")).isEqualTo(content("green"));
    }

    @Test
    void a_value_may_be_empty() {
        data.kset("colour", "");
        assertThat(data.kget("colour")).isEqualTo(content(""));
    }

    @Test
    void a_value_may_be_any_bytes() {
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        ByteString bytes = ByteString.of(all);
        data.submit("raw", new DataOperation.SetValue(bytes, Command.FOREVER));
        assertThat(data.kget("raw")).isEqualTo(new DataScenario.Content(bytes));
    }

    @Test
    void an_unknown_value_is_absent_and_is_not_created_by_reading() {
        assertThat(data.kget("colour")).isEqualTo(NOTHING);
        data.assertNothingIsLeft();
    }

    @Test
    void a_value_is_replaced_by_the_next_one() {
        data.kset("colour", "green");
        data.kset("colour", "red");
        assertThat(data.kget("colour")).isEqualTo(content("red"));
        assertThat(data.quotas.entries).isEqualTo(1);
        assertThat(data.quotas.contentBytes).isEqualTo(64);
    }

    @Test
    void a_value_is_charged_by_its_length_whenever_that_changes() {
        data.kset("text", "x".repeat(250));
        assertThat(data.quotas.contentBytes).isEqualTo(4 * 64);
        data.kset("text", "x");
        assertThat(data.quotas.contentBytes).isEqualTo(64);
        data.quotas.memoryLeft = false;
        assertThat(data.kset("text", "x".repeat(250)))
                .isEqualTo(DataScenario.refused(Refusal.TOO_MANY_ENTRIES));
        assertThat(data.kget("text")).isEqualTo(content("x"));
        assertThat(data.kset("text", "y".repeat(60))).isEqualTo(DONE);
        data.kdel("text");
        assertThat(data.quotas.contentBytes).isZero();
    }

    @Test
    void a_deleted_value_is_absent() {
        data.kset("colour", "green");
        data.kset("shape", "round", ofSeconds(5));
        assertThat(data.kdel("colour")).isEqualTo(DONE);
        assertThat(data.kdel("shape")).isEqualTo(DONE);
        assertThat(data.kget("colour")).isEqualTo(NOTHING);
        assertThat(data.kget("shape")).isEqualTo(NOTHING);
        data.assertNothingIsLeft();
    }

    @Test
    void an_unknown_value_may_be_deleted() {
        assertThat(data.kdel("colour")).isEqualTo(DONE);
        data.kset("colour", "green");
        data.kdel("colour");
        assertThat(data.kdel("colour")).isEqualTo(DONE);
        data.assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 1_000, 999_999_999, 1_000_000_000, 3_600_000_000_000L})
    void a_value_expires_exactly_at_the_end_of_its_time_to_live(long ttl) {
        data.kset("colour", "green", ttl);
        data.advance(ofNanos(ttl - 1));
        assertThat(data.kget("colour")).isEqualTo(content("green"));
        data.advanceSilently(ofNanos(1));
        assertThat(data.kget("colour")).isEqualTo(NOTHING);
        data.assertNothingIsLeft();
    }

    @Test
    void a_value_expires_at_the_next_deadline_of_the_engine_without_being_read() {
        data.kset("colour", "green", ofSeconds(10));
        long end = data.now() + ofSeconds(10).toNanos();
        for (int looks = 0; data.quotas.entries > 0; looks++) {
            assertThat(data.engine.nextDeadlineNanos()).isLessThanOrEqualTo(end);
            assertThat(looks).isLessThan(20);
            data.setClock(Math.max(data.now(), data.engine.nextDeadlineNanos()));
            data.tick();
        }
        assertThat(data.now()).isEqualTo(end);
        data.assertNothingIsLeft();
    }

    @Test
    void a_value_schedules_deadlines_in_the_future_only() {
        for (long ttl = 1; ttl < ofDays(1).toNanos(); ttl *= 3) {
            data.kset("colour", "green", ttl);
            assertThat(data.engine.nextDeadlineNanos()).isGreaterThan(data.now());
            data.kdel("colour");
            data.advance(ofMillis(700));
        }
    }

    @Test
    void a_due_value_is_not_listed_even_if_it_has_not_been_removed() {
        data.kset("colour", "green", ofSeconds(10));
        data.advanceSilently(ofSeconds(10).minusNanos(1));
        assertThat(data.values()).containsExactly("colour");
        data.advanceSilently(ofNanos(1));
        assertThat(data.values()).isEmpty();
        assertThat(data.quotas.entries).isEqualTo(1);
        data.tick();
        data.assertNothingIsLeft();
    }

    @Test
    void setting_a_value_restarts_its_time_to_live() {
        data.kset("colour", "green", ofSeconds(10));
        data.advance(ofSeconds(9));
        data.kset("colour", "red", ofSeconds(10));
        data.advance(ofSeconds(10).minusNanos(1));
        assertThat(data.kget("colour")).isEqualTo(content("red"));
        data.advance(ofNanos(1));
        assertThat(data.kget("colour")).isEqualTo(NOTHING);
    }

    @Test
    void setting_a_value_may_shorten_its_time_to_live() {
        data.kset("colour", "green", ofSeconds(1000));
        data.kset("colour", "green", ofSeconds(1));
        data.advance(ofSeconds(1));
        assertThat(data.kget("colour")).isEqualTo(NOTHING);
        data.assertNothingIsLeft();
    }

    @Test
    void a_value_stays_when_it_is_set_again_without_a_time_to_live() {
        data.kset("colour", "green", ofSeconds(10));
        data.kset("colour", "red");
        assertThat(data.engine.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
        data.advance(ofSeconds(10));
        assertThat(data.kget("colour")).isEqualTo(content("red"));
    }

    @Test
    void a_value_ends_when_it_is_set_again_with_a_time_to_live() {
        data.kset("colour", "green");
        data.kset("colour", "red", ofSeconds(10));
        data.advance(ofSeconds(10));
        assertThat(data.kget("colour")).isEqualTo(NOTHING);
        data.assertNothingIsLeft();
    }

    @Test
    void reading_a_value_does_not_extend_its_time_to_live() {
        data.kset("colour", "green", ofSeconds(10));
        for (int i = 0; i < 9; i++) {
            data.advance(ofSeconds(1));
            assertThat(data.kget("colour")).isEqualTo(content("green"));
        }
        data.advance(ofSeconds(1));
        assertThat(data.kget("colour")).isEqualTo(NOTHING);
    }

    @Test
    void a_value_can_be_created_again_after_it_has_expired() {
        data.kset("colour", "green", ofSeconds(1));
        data.advance(ofSeconds(2));
        data.kset("colour", "red");
        data.advance(ofSeconds(2));
        assertThat(data.kget("colour")).isEqualTo(content("red"));
    }

    @Test
    void a_value_does_not_inherit_the_expiry_of_a_deleted_one() {
        data.kset("colour", "green", ofSeconds(1));
        data.kdel("colour");
        data.kset("colour", "red");
        data.advance(ofSeconds(2));
        assertThat(data.kget("colour")).isEqualTo(content("red"));
    }

    @Test
    void many_values_expire_each_at_its_own_time() {
        for (int i = 0; i < 300; i++) {
            data.kset("value-" + i, "x", ofMillis((i * 7919) % 300 + 1));
        }
        for (int left = 299; left >= 0; left--) {
            data.advance(ofMillis(1));
            assertThat(data.quotas.entries).isEqualTo(left);
        }
        data.assertNothingIsLeft();
    }

    @Test
    void a_value_whose_expiry_overflows_the_clock_never_expires() {
        data.setClock(Long.MAX_VALUE - 5);
        data.kset("shape", "round", LONGEST);
        data.kset("size", "huge", 5); // overflows the clock
        assertThat(data.engine.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(data.kget("shape")).isEqualTo(content("round"));
        data.setClock(Long.MAX_VALUE - 1);
        data.tick();
        assertThat(data.kget("shape")).isEqualTo(content("round"));
        assertThat(data.kget("size")).isEqualTo(content("huge"));
        assertThat(data.values()).containsExactly("shape", "size");
        data.kset("shape", "square");
        data.kdel("shape");
        data.kdel("size");
        data.collect();
        data.assertNothingIsLeft();
    }

    @Test
    void a_value_expires_exactly_after_the_longest_time_to_live() {
        data.setClock(-7);
        data.kset("colour", "green", LONGEST);
        data.setClock(LONGEST - 8);
        assertThat(data.kget("colour")).isEqualTo(content("green"));
        data.setClock(LONGEST - 7);
        assertThat(data.kget("colour")).isEqualTo(NOTHING);
        data.assertNothingIsLeft();
    }

    @Test
    void an_expired_value_does_not_return_when_the_clock_goes_back() {
        data.kset("colour", "green", ofSeconds(10));
        data.advance(ofSeconds(10));
        data.setBack(ofSeconds(5));
        assertThat(data.kget("colour")).isEqualTo(NOTHING);
        data.kset("shape", "round", ofSeconds(10));
        data.advance(ofSeconds(14)); // nine seconds after the latest time so far
        assertThat(data.kget("shape")).isEqualTo(content("round"));
        data.advance(ofSeconds(1));
        assertThat(data.kget("shape")).isEqualTo(NOTHING);
    }

    @Test
    void a_value_is_independent_of_other_types_of_the_same_key() {
        data.kset("x", "text");
        assertThat(data.get("x")).isEqualTo(DataScenario.number(0));
        assertThat(data.lpop("x")).isEqualTo(NOTHING);
        data.incr("x", 5);
        data.rpush("x", "item");
        assertThat(data.kget("x")).isEqualTo(content("text"));
        data.kdel("x");
        assertThat(data.get("x")).isEqualTo(DataScenario.number(5));
        assertThat(data.llen("x")).isEqualTo(DataScenario.number(1));
    }

    @Test
    void a_value_is_shown_with_its_length_its_time_to_live_and_its_idle_time() {
        data.kset("colour", "gr\u00fcn", ofSeconds(10));
        data.kset("empty", "");
        data.advance(ofSeconds(4));
        assertThat(data.views().values())
                .containsExactly(
                        new ValueView(
                                Key.of("colour"),
                                5,
                                ofSeconds(6).toNanos(),
                                ofSeconds(4).toNanos()),
                        new ValueView(Key.of("empty"), 0, 0, ofSeconds(4).toNanos()));
        data.kget("colour");
        data.kset("empty", "not any more");
        assertThat(data.views().values())
                .containsExactly(
                        new ValueView(Key.of("colour"), 5, ofSeconds(6).toNanos(), 0),
                        new ValueView(Key.of("empty"), 12, 0, 0));
    }

    @Test
    void a_value_that_never_expires_is_listed_as_unlimited() {
        data.setClock(Long.MAX_VALUE - 5);
        data.kset("colour", "green", LONGEST);
        assertThat(data.views().values())
                .containsExactly(new ValueView(Key.of("colour"), 5, Command.FOREVER, 0));
    }
}
