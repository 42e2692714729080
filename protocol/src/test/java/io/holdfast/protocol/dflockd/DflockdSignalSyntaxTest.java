package io.holdfast.protocol.dflockd;

import static io.holdfast.protocol.dflockd.WireBytes.decode;
import static io.holdfast.protocol.dflockd.WireBytes.key;
import static io.holdfast.protocol.dflockd.WireBytes.raw;
import static io.holdfast.protocol.dflockd.WireBytes.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.protocol.dflockd.DflockdRequest.Listen;
import io.holdfast.protocol.dflockd.DflockdRequest.Malformed;
import io.holdfast.protocol.dflockd.DflockdRequest.Signal;
import io.holdfast.protocol.dflockd.DflockdRequest.Unlisten;
import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

@DisplayName("A request about signals")
class DflockdSignalSyntaxTest {
    private static final Malformed MALFORMED = new Malformed();

    /** The maximum length of a pushed line without its end. */
    private static final int MOST = 65536;

    private static DflockdRequest rawRequest(String command, String key, String argument) {
        return request(raw(command + "\n" + key + "\n" + argument + "\n"));
    }

    private static Key rawKey(String text) {
        return Key.of(Namespace.DEFAULT, raw(text));
    }

    private static ByteString bytes(String text) {
        return ByteString.of(raw(text));
    }

    @Nested
    @DisplayName("Emitting")
    class Sending {
        @ParameterizedTest
        @ValueSource(
                strings = {
                    "hello", "a b", " hello", "hello ", "\thello\t", "  a  b  ", "5", "\u0000",
                    "\u00ff", "\u00c2", "a\rb", "\rx", "*", ">", "\u00e2\u0080\u008b", "\u00a0"
                })
        void the_payload_of_a_signal_is_unchanged(String payload) {
            assertThat(rawRequest("signal", "news", payload))
                    .isEqualTo(new Signal(key("news"), bytes(payload)));
        }

        @Test
        void the_payload_of_a_signal_loses_only_the_carriage_returns_at_the_end_of_the_line() {
            assertThat(rawRequest("signal", "news", "a\r \r\r"))
                    .isEqualTo(new Signal(key("news"), bytes("a\r ")));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "",
                    " ",
                    "   ",
                    "\t",
                    "\r",
                    "\r ",
                    "\u000b\f",
                    "\u0085",
                    "\u00a0",
                    "\u1680",
                    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a",
                    "\u2028\u2029",
                    "\u202f",
                    "\u205f",
                    "\u3000",
                    " \u3000\t\u00a0 \u2028"
                })
        void a_signal_with_a_payload_of_only_whitespace_is_malformed(String payload) {
            assertThat(request("signal", "news", payload)).isEqualTo(MALFORMED);
        }

        @ParameterizedTest
        @ValueSource(ints = {0x200b, 0x1c, 0x1f, 0x84, 0x180e, 0xfeff, 0x2060})
        void other_characters_of_a_payload_are_not_whitespace(int other) {
            String payload = Character.toString(other);
            assertThat(request("signal", "news", payload))
                    .isEqualTo(new Signal(key("news"), ByteString.of(payload)));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "*", ">", "a.*", "a.>", "*.a", ">.a", "a*", "a>", "*a", ">a", "a.b*c.d", "a.>b"
                })
        void a_signal_with_a_wildcard_in_its_channel_is_malformed(String channel) {
            assertThat(request("signal", channel, "hello")).isEqualTo(MALFORMED);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "a", "a.b", "a..b", ".", "..", ".a", "a.", "\u00e9", "\u0000", "a<b", "?"
                })
        void a_signal_takes_any_key_without_wildcards_as_its_channel(String channel) {
            assertThat(request("signal", channel, "hello"))
                    .isEqualTo(new Signal(key(channel), bytes("hello")));
        }

        @ParameterizedTest
        @ValueSource(strings = {"", " ", "a b", "a\tb", " a", "a ", "a\rb"})
        void a_signal_with_an_invalid_channel_is_malformed(String channel) {
            assertThat(request("signal", channel, "hello")).isEqualTo(MALFORMED);
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2, 7, 100, 255, 256})
        void the_payload_of_a_signal_is_limited_by_its_pushed_line(int channelLength) {
            String channel = "c".repeat(channelLength);
            String longest = "p".repeat(MOST - 5 - channelLength);
            assertThat(request("signal", channel, longest))
                    .isEqualTo(new Signal(key(channel), bytes(longest)));
            assertThat(request("signal", channel, longest + "p")).isEqualTo(MALFORMED);
            assertThat(DflockdEncoder.pushedLength(key(channel), bytes(longest)))
                    .as("with its end")
                    .isEqualTo(MOST + 1);
        }

        @Test
        void the_limit_of_a_pushed_line_counts_bytes_and_not_characters() {
            String channel = "\u00e9\u00e9";
            String longest = "\u20ac".repeat(21842) + "x"; // 65536 - 5 - 4 bytes
            assertThat(request("signal", channel, longest))
                    .isEqualTo(new Signal(key(channel), ByteString.of(longest)));
            assertThat(request("signal", channel, longest + "x")).isEqualTo(MALFORMED);
        }

        @Test
        void the_limit_of_a_pushed_line_counts_whitespace_at_the_ends_of_the_payload() {
            String payload = " " + "p".repeat(MOST - 5 - 1 - 2) + " ";
            assertThat(request("signal", "c", payload))
                    .isEqualTo(new Signal(key("c"), bytes(payload)));
            assertThat(request("signal", "c", payload + " ")).isEqualTo(MALFORMED);
        }

        @Test
        void a_signal_beyond_the_longest_argument_line_is_too_long() {
            assertThat(request("signal", "c", "p".repeat(MOST))).isEqualTo(MALFORMED);
            assertThat(decode(raw("signal\nc\n" + "p".repeat(MOST + 1) + "\n")))
                    .containsExactly(new DflockdDecoderResult.LineTooLong());
        }
    }

    @Nested
    @DisplayName("Listening")
    class Listening {
        @ParameterizedTest
        @ValueSource(
                strings = {
                    "a",
                    "a.b",
                    "a..b",
                    "*",
                    ">",
                    "a.*",
                    "a.>",
                    "*.b",
                    "a.*.c",
                    "\u00e9.\u0000",
                    // Invalid patterns: the hub rejects them, not the syntax.
                    "a.>.b",
                    "fo*",
                    "**",
                    ">x"
                })
        void a_listen_request_has_a_pattern(String pattern) {
            assertThat(request("listen", pattern, ""))
                    .isEqualTo(new Listen(key(pattern), ByteString.EMPTY));
            assertThat(request("unlisten", pattern, ""))
                    .isEqualTo(new Unlisten(key(pattern), ByteString.EMPTY));
        }

        @ParameterizedTest
        @CsvSource(
                ignoreLeadingAndTrailingWhitespace = false,
                value = {
                    "workers,workers",
                    " workers ,workers",
                    "\tworkers\t,workers",
                    "my workers,my workers",
                    "  my  workers  ,my  workers",
                    "my\tworkers,my\tworkers",
                    "\u00a0my\u00a0workers\u00a0,my\u00a0workers",
                    "\u3000\u2028workers\u0085,workers",
                    "\u200bworkers,\u200bworkers",
                    "0,0"
                })
        void the_group_of_a_listen_request_is_trimmed_of_whitespace(String argument, String group) {
            assertThat(request("listen", "news", argument))
                    .isEqualTo(new Listen(key("news"), ByteString.of(group)));
            assertThat(request("unlisten", "news", argument))
                    .isEqualTo(new Unlisten(key("news"), ByteString.of(group)));
        }

        @ParameterizedTest
        @ValueSource(strings = {"", " ", "\t\t", "\r", "\u00a0", "\u3000 \u2003", "\u0085"})
        void a_group_of_only_whitespace_means_no_group(String argument) {
            assertThat(request("listen", "news", argument))
                    .isEqualTo(new Listen(key("news"), ByteString.EMPTY));
            assertThat(request("unlisten", "news", argument))
                    .isEqualTo(new Unlisten(key("news"), ByteString.EMPTY));
        }

        @Test
        void a_group_may_be_any_bytes_up_to_the_line_limit() {
            String group = "\u00ff".repeat(255) + "\u0000";
            assertThat(rawRequest("listen", "news", group))
                    .isEqualTo(new Listen(key("news"), bytes(group)));
            assertThat(decode(raw("listen\nnews\n" + group + "x\n")))
                    .containsExactly(new DflockdDecoderResult.LineTooLong());
            assertThat(decode(raw("unlisten\nnews\n" + group + " \n")))
                    .containsExactly(new DflockdDecoderResult.LineTooLong());
        }

        @ParameterizedTest
        @ValueSource(strings = {"", " ", "a b", "a\tb", " a", "a ", "\ta", "a\rb", "* "})
        void a_listen_request_with_an_invalid_key_is_malformed(String pattern) {
            assertThat(request("listen", pattern, "")).isEqualTo(MALFORMED);
            assertThat(request("unlisten", pattern, "")).isEqualTo(MALFORMED);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Signal",
                "SIGNAL",
                "signal ",
                " signal",
                "signals",
                "signa",
                "Listen",
                "listen ",
                " listen",
                "listens",
                "liste",
                "Unlisten",
                "unlisten ",
                "unliste",
                "un-listen",
                "sig"
            })
    void the_command_of_a_signal_request_must_match_exactly(String command) {
        assertThat(request(command, "news", "hello")).isEqualTo(MALFORMED);
    }

    @Test
    void a_signal_request_uses_the_namespace_of_its_listener() {
        var tenant = new Namespace("tenant");
        Key news = Key.of(tenant, raw("news"));
        var decoder = new DflockdDecoder(tenant);
        byte[] bytes = raw("signal\nnews\nx\nlisten\nnews\nx\nunlisten\nnews\nx\n");
        assertThat(WireBytes.drain(decoder, Unpooled.wrappedBuffer(bytes)))
                .isEqualTo(
                        List.of(
                                new DflockdDecoderResult.Request(new Signal(news, bytes("x"))),
                                new DflockdDecoderResult.Request(new Listen(news, bytes("x"))),
                                new DflockdDecoderResult.Request(new Unlisten(news, bytes("x")))));
    }

    @Test
    void patterns_that_decode_to_the_same_text_are_distinct() {
        assertThat(rawRequest("signal", "a\u00ff", "x"))
                .isEqualTo(new Signal(rawKey("a\u00ff"), bytes("x")))
                .isNotEqualTo(rawRequest("signal", "a\u00fe", "x"));
    }
}
