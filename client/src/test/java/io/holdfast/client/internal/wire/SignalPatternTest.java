package io.holdfast.client.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A pattern")
class SignalPatternTest {
    @ParameterizedTest
    @CsvSource({
        "a,      a,     true",
        "a,      b,     false",
        "a.*,    a.b,   true",
        "a.*,    a.,    true",
        "a.*,    a,     false",
        "a.*,    a.b.c, false",
        "a.>,    a.b.c, true",
        "a.>,    a,     false",
        ">,      a.b,   true",
        "*.b,    a.b,   true",
        "*.b,    a.c,   false",
        "a..b,   a..b,  true",
    })
    void a_pattern_matches_the_channels_of_the_specification(
            String pattern, String channel, boolean meant) {
        assertThat(SignalPattern.matches(pattern, channel)).isEqualTo(meant);
    }
}
