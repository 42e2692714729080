package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;

@DisplayName("A Go duration")
class GoDurationsTest {
    @ParameterizedTest
    @CsvSource({
        "0, PT0S",
        "-0, PT0S",
        "0s, PT0S",
        "700ms, PT0.7S",
        "2s, PT2S",
        "+2s, PT2S",
        "1m30s, PT1M30S",
        "1.5h, PT1H30M",
        ".5s, PT0.5S",
        "1.s, PT1S",
        "-1s, PT-1S",
        "1us, PT0.000001S",
        "1µs, PT0.000001S",
        "1ns, PT0.000000001S",
        "2540400h, PT2540400H"
    })
    void a_go_duration_is_parsed(String text, Duration span) {
        assertThat(GoDurations.parse(text)).contains(span);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "5",
                "s",
                "2 s",
                " 2s",
                "2S",
                "2d",
                "1m30",
                "1.2.3s",
                "+-1s",
                "x",
                ".s",
                "2562048h",
                "99999999999999999999s",
                "."
            })
    void text_without_a_number_and_a_unit_of_go_is_not_a_go_duration(String text) {
        assertThat(GoDurations.parse(text)).isEmpty();
    }
}
