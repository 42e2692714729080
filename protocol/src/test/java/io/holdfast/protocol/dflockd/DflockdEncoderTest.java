package io.holdfast.protocol.dflockd;

import static io.holdfast.protocol.dflockd.WireBytes.seconds;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.Token;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

@DisplayName("A dflockd response")
class DflockdEncoderTest {
    private static String written(Consumer<ByteBuf> response) {
        ByteBuf out = Unpooled.buffer();
        response.accept(out);
        return out.toString(StandardCharsets.ISO_8859_1);
    }

    @Test
    void a_response_is_one_line() {
        assertThat(written(DflockdEncoder::ok)).isEqualTo("ok\n");
        assertThat(written(DflockdEncoder::queued)).isEqualTo("queued\n");
        assertThat(written(DflockdEncoder::timeout)).isEqualTo("timeout\n");
        assertThat(written(DflockdEncoder::error)).isEqualTo("error\n");
        assertThat(written(DflockdEncoder::errorAuth)).isEqualTo("error_auth\n");
        assertThat(written(DflockdEncoder::errorDraining)).isEqualTo("error_draining\n");
    }

    @ParameterizedTest
    @CsvSource({
        "NOT_HELD,error",
        "TOO_MANY_KEYS,error_max_locks",
        "TOO_MANY_WAITERS,error_max_waiters",
        "LIMIT_MISMATCH,error_limit_mismatch",
        "ALREADY_ENQUEUED,error_already_enqueued",
        "NOT_ENQUEUED,error_not_enqueued",
        "TOO_MANY_ENTRIES,error_max_keys",
        "LIST_FULL,error_list_full",
        "OUT_OF_RANGE,error",
        "UNAVAILABLE,error"
    })
    void each_refusal_has_a_response(Refusal reason, String word) {
        assertThat(written(out -> DflockdEncoder.refused(reason, out))).isEqualTo(word + "\n");
    }

    @ParameterizedTest
    @EnumSource
    void the_response_to_a_refusal_begins_with_error(Refusal reason) {
        assertThat(written(out -> DflockdEncoder.refused(reason, out)))
                .matches("error(_[a-z]+)*\n");
    }

    @ParameterizedTest
    @CsvSource({
        "0,0,00000000000000000000000000000000",
        "-1,-1,ffffffffffffffffffffffffffffffff",
        "81985529216486895,-81985529216486896,0123456789abcdeffedcba9876543210",
        "1,0,00000000000000010000000000000000",
        "0,1,00000000000000000000000000000001",
        "-9223372036854775808,9223372036854775807,80000000000000007fffffffffffffff"
    })
    void a_response_writes_a_token_as_32_hex_digits_fence_first(
            long fence, long salt, String token) {
        Token given = new Token(fence, salt);
        assertThat(written(out -> DflockdEncoder.granted(given, seconds(33), out)))
                .isEqualTo("ok " + token + " 33\n");
        assertThat(written(out -> DflockdEncoder.acquired(given, seconds(33), out)))
                .isEqualTo("acquired " + token + " 33\n");
    }

    @ParameterizedTest
    @CsvSource({"1", "9", "10", "11", "33", "99", "100", "101", "1000000000", "9223372036"})
    void a_response_writes_a_lease_in_whole_seconds(long lease) {
        assertThat(written(out -> DflockdEncoder.renewed(seconds(lease), out)))
                .isEqualTo("ok " + lease + "\n");
        assertThat(written(out -> DflockdEncoder.granted(new Token(0, 0), seconds(lease), out)))
                .endsWith(" " + lease + "\n");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, -1, 9, 10, -10, 1234567890, Long.MAX_VALUE, Long.MIN_VALUE})
    void a_response_writes_a_number_in_decimal_digits(long number) {
        assertThat(written(out -> DflockdEncoder.number(number, out)))
                .isEqualTo("ok " + number + "\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                " ",
                " a ",
                "ok",
                "nil",
                "0",
                "a\rb",
                "\u0000",
                "\u00ff\u00fe",
                "\"<>&\\"
            })
    void a_response_writes_a_value_as_it_is(String value) {
        ByteString bytes = ByteString.of(WireBytes.raw(value));
        assertThat(written(out -> DflockdEncoder.value(bytes, out)))
                .isEqualTo("ok " + value + "\n");
    }

    @Test
    void a_response_is_a_bare_ok_for_an_empty_value() {
        assertThat(written(out -> DflockdEncoder.value(ByteString.EMPTY, out))).isEqualTo("ok\n");
    }

    @Test
    void a_response_is_nil_for_an_absent_value() {
        assertThat(written(DflockdEncoder::nil)).isEqualTo("nil\n");
    }

    @Test
    void a_response_has_items_as_an_array_of_strings() {
        assertThat(items()).isEqualTo("ok []\n");
        assertThat(items("a")).isEqualTo("ok [\"a\"]\n");
        assertThat(items("a", "", " b ", "5")).isEqualTo("ok [\"a\",\"\",\" b \",\"5\"]\n");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "say \"hi\",say \\\"hi\\\"",
                "a\\b,a\\\\b",
                "<a>&b,\\u003ca\\u003e\\u0026b",
                "a\tb,a\\tb",
                "`a\rb`,a\\rb",
                "a\u0001\u000bb,a\\u0001\\u000bb",
                "\u00ff,\\ufffd",
                "\u00c3\u00a9,\u00c3\u00a9",
                "\u00e2\u0080\u00a8,\\u2028",
                "\u00e2\u0080\u00a9,\\u2029",
                "\u00e2\u0080,\\ufffd\\ufffd"
            })
    void items_are_escaped_for_json_and_html(String item, String escaped) {
        assertThat(items(item, "x")).isEqualTo("ok [\"" + escaped + "\",\"x\"]\n");
    }

    private static String items(String... items) {
        return written(
                out -> {
                    DflockdEncoder.beginItems(out);
                    for (int i = 0; i < items.length; i++) {
                        DflockdEncoder.item(ByteString.of(WireBytes.raw(items[i])), i == 0, out);
                    }
                    DflockdEncoder.endItems(out);
                });
    }

    @ParameterizedTest
    @CsvSource(
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "news,hello",
                "a.b.c, hello world ",
                "a..b,'\t'",
                "\u00ff,'\u0000\u00fe'",
                "news,\"<json>\"",
                "c,'\rx'"
            })
    void a_pushed_line_has_channel_and_payload_unchanged(String channel, String payload) {
        Key key = Key.of(Namespace.DEFAULT, WireBytes.raw(channel));
        ByteString bytes = ByteString.of(WireBytes.raw(payload));
        String line = written(out -> DflockdEncoder.pushed(key, bytes, out));
        assertThat(line).isEqualTo("sig " + channel + " " + payload + "\n");
        assertThat(DflockdEncoder.pushedLength(key, bytes)).isEqualTo(line.length());
        assertThat(DflockdEncoder.payloadOf(Unpooled.wrappedBuffer(WireBytes.raw(line)), key))
                .isEqualTo(bytes);
    }

    @Test
    void the_length_of_a_pushed_line_is_computed_exactly() {
        for (int channel : new int[] {1, 2, 100, 256}) {
            for (int payload : new int[] {1, 2, 255, 256, 65536 - 5 - channel}) {
                Key key = Key.of("c".repeat(channel));
                ByteString bytes = ByteString.of("p".repeat(payload));
                assertThat(DflockdEncoder.pushedLength(key, bytes))
                        .isEqualTo(written(out -> DflockdEncoder.pushed(key, bytes, out)).length());
            }
        }
    }

    @Test
    void a_pushed_line_omits_the_namespace_of_the_channel() {
        Key key = Key.of(new Namespace("tenant"), WireBytes.raw("news"));
        assertThat(written(out -> DflockdEncoder.pushed(key, ByteString.of("x"), out)))
                .isEqualTo("sig news x\n");
    }

    @Test
    void a_response_is_appended_to_the_buffer() {
        assertThat(
                        written(
                                out -> {
                                    DflockdEncoder.ok(out);
                                    DflockdEncoder.renewed(seconds(5), out);
                                    DflockdEncoder.timeout(out);
                                    DflockdEncoder.number(-7, out);
                                    DflockdEncoder.value(ByteString.of("x"), out);
                                    DflockdEncoder.nil(out);
                                }))
                .isEqualTo("ok\nok 5\ntimeout\nok -7\nok x\nnil\n");
    }

    @Test
    void a_token_in_a_response_can_be_parsed_again() {
        Token given = new Token(0x8000_0000_0000_00ffL, 0x0a0b_0c0d_0e0f_f0e0L);
        String line = written(out -> DflockdEncoder.granted(given, seconds(1), out));
        assertThat(WireBytes.request("r", "k", line.substring(3, 35)))
                .isInstanceOfSatisfying(
                        DflockdRequest.Release.class,
                        release -> assertThat(release.token()).isEqualTo(given));
    }
}
