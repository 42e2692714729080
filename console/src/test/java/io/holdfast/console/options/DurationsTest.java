package io.holdfast.console.options;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;

@DisplayName("A duration in an option")
class DurationsTest {
    private static final Duration MAX_DURATION = Duration.ofNanos(Long.MAX_VALUE);

    @ParameterizedTest
    @CsvSource({
        "0, PT0S",
        "0ms, PT0S",
        "5, PT5S",
        "007, PT7S",
        "1.5, PT1.5S",
        ".5, PT0.5S",
        "1., PT1S",
        "500ms, PT0.5S",
        "0.5ms, PT0.0005S",
        "2s, PT2S",
        "5m, PT5M",
        "1.5h, PT1H30M",
        "0.0000000001, PT0.000000001S"
    })
    void a_duration_is_parsed(String text, Duration span) {
        assertThat(Durations.parse(text)).contains(span);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", " ", "s", ".", ".s", "-1", "+1", "1 s", " 1", "1s ", "1S", "2d", "1m30s", "1e3",
                "1,5", "0x10", "٣", "1ns", "1us", "--", "NaN", "1.2.3"
            })
    void text_without_a_number_and_a_known_unit_is_not_a_duration(String text) {
        assertThat(Durations.parse(text)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"9223372037", "99999999999999999999999h", "2562048h"})
    void a_huge_duration_is_capped(String text) {
        assertThat(Durations.parse(text)).contains(MAX_DURATION);
    }
}
