package io.holdfast.console.options;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

import java.time.Duration;
import java.util.Optional;

class DurationsPropertyTest {
    @Property(tries = 500)
    void equal_durations_in_different_units_are_equal(
            @ForAll @LongRange(min = 0, max = 9_000_000_000L) long millis) {
        Optional<Duration> span = Optional.of(Duration.ofMillis(millis));
        String seconds = "%d.%03d".formatted(millis / 1000, millis % 1000);
        assertThat(Durations.parse(millis + "ms")).isEqualTo(span);
        assertThat(Durations.parse(seconds)).isEqualTo(span);
        assertThat(Durations.parse(seconds + "s")).isEqualTo(span);
        assertThat(Durations.parse(millis + "m")).isEqualTo(Durations.parse(millis * 60 + "s"));
    }

    @Property(tries = 500)
    void only_zero_digits_give_a_duration_of_zero(
            @ForAll @IntRange(min = 0, max = 1000) int whole,
            @ForAll @IntRange(min = 0, max = 1_000_000) int rest,
            @ForAll @IntRange(min = 0, max = 60) int zeros) {
        String text = whole + "." + "0".repeat(zeros) + rest;
        assertThat(Durations.parse(text).map(Duration::isZero)).contains(whole == 0 && rest == 0);
    }

    @Property(tries = 1000)
    void parsing_arbitrary_text_as_a_duration_never_throws(@ForAll String text) {
        Durations.parse(text).ifPresent(span -> assertThat(span.isNegative()).isFalse());
    }
}
