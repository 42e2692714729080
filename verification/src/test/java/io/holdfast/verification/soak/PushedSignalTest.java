package io.holdfast.verification.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A pushed line")
class PushedSignalTest {
    @Test
    void a_pushed_line_has_a_channel_and_a_payload_with_all_its_blanks()
            throws CheckFailedException {
        var line = "sig a.b  c  d ";
        assertThat(PushedSignal.isPushed(line)).isTrue();
        assertThat(PushedSignal.parse(line))
                .isEqualTo(new PushedSignal("a.b", " c  d "))
                .hasToString(line);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ok", "ok sig a b", "nil", "sig", "signal a b", ""})
    void a_response_is_not_taken_for_a_pushed_line(String line) {
        assertThat(PushedSignal.isPushed(line)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ok", "sig", "sig a", "sig "})
    void a_pushed_line_without_channel_or_payload_is_rejected(String line) {
        assertThatThrownBy(() -> PushedSignal.parse(line))
                .isInstanceOf(CheckFailedException.class)
                .hasMessage("got \"" + line + "\", want \"sig <channel> <payload>\"");
    }
}
