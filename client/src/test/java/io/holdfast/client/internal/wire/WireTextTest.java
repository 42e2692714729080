package io.holdfast.client.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetSocketAddress;
import java.time.Duration;

@DisplayName("The text of tagged mode")
class WireTextTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1, 1ms",
        "1000000, 1ms",
        "1000001, 2ms",
        "1000000000, 1",
        "1500000000, 1500ms",
        "9223372036854775807, 9223372036"
    })
    void durations_are_rounded_up_to_milliseconds(long nanos, String text) {
        assertThat(WireDuration.text(nanos)).isEqualTo(text);
    }

    @Test
    void durations_are_parsed_in_seconds_or_milliseconds() throws Exception {
        assertThat(WireDuration.parse("30")).isEqualTo(30_000_000_000L);
        assertThat(WireDuration.parse("250ms")).isEqualTo(250_000_000L);
        assertThat(WireDuration.parse("9223372036854775807")).isEqualTo(Long.MAX_VALUE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "ms", "-1", "1s", "1.5", "+1", "9223372036854775808"})
    void an_invalid_duration_is_rejected(String text) {
        assertThatThrownBy(() -> WireDuration.parse(text)).isInstanceOf(BadLineException.class);
    }

    @Test
    void hello_contains_the_label_and_the_session_to_resume() throws Exception {
        var address = InetSocketAddress.createUnresolved("h", 1);
        var config = TaggedServiceFixture.config(address, Duration.ofSeconds(10));
        assertThat(HelloResponse.argument(config, null)).isEqualTo("1 grace=60 label=test");
        HelloResponse helloResponse =
                HelloResponse.parse(
                        "ok 1 secret=s3 x=y session=7 grace=250ms lease=33 read=23 resumed");
        assertThat(helloResponse)
                .isEqualTo(
                        new HelloResponse(
                                "7", "s3", 250_000_000, 33_000_000_000L, 23_000_000_000L, true));
        assertThat(HelloResponse.argument(config, helloResponse)).endsWith(" resume=7:s3");
        assertThat(helloResponse.toString()).doesNotContain("s3");
    }

    @ParameterizedTest
    @ValueSource(strings = {"error", "ok 2 session=1 secret=a", "ok 1 session=1", "ok 1 lease=x"})
    void a_hello_response_without_a_session_is_rejected(String response) {
        assertThatThrownBy(() -> HelloResponse.parse(response))
                .isInstanceOf(BadLineException.class);
    }

    @Test
    void a_list_of_holds_is_parsed_page_by_page() throws Exception {
        var resumedState = new ResumedState("7");
        assertThat(resumedState.add("ok 3:w 5:h:abc:250ms", 10)).isTrue();
        assertThat(resumedState.last()).isEqualTo(5);
        assertThat(resumedState.add("ok", 20)).isFalse();
        assertThat(resumedState.waitingAt(3)).isEqualTo(10);
        assertThat(resumedState.held(5)).isEqualTo(new ResumedState.Held("abc", 250_000_000, 10));
        assertThat(resumedState.isHeld(3)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"error", "ok x:w", "ok 1", "ok 1:z", "ok 1:h:abc", "ok 0:w", "ok 1:h:a:x"})
    void a_malformed_list_of_holds_is_rejected(String response) {
        assertThatThrownBy(() -> new ResumedState("7").add(response, 0))
                .isInstanceOf(BadLineException.class);
    }
}
