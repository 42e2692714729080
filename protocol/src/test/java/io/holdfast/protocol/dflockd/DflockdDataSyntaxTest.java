package io.holdfast.protocol.dflockd;

import static io.holdfast.engine.DataOperation.End.BACK;
import static io.holdfast.engine.DataOperation.End.FRONT;
import static io.holdfast.protocol.dflockd.WireBytes.decode;
import static io.holdfast.protocol.dflockd.WireBytes.key;
import static io.holdfast.protocol.dflockd.WireBytes.raw;
import static io.holdfast.protocol.dflockd.WireBytes.request;
import static io.holdfast.protocol.dflockd.WireBytes.seconds;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.DataOperation.Decrement;
import io.holdfast.engine.DataOperation.DeleteValue;
import io.holdfast.engine.DataOperation.GetCounter;
import io.holdfast.engine.DataOperation.GetValue;
import io.holdfast.engine.DataOperation.Increment;
import io.holdfast.engine.DataOperation.Length;
import io.holdfast.engine.DataOperation.Pop;
import io.holdfast.engine.DataOperation.Push;
import io.holdfast.engine.DataOperation.Range;
import io.holdfast.engine.DataOperation.SetCounter;
import io.holdfast.engine.DataOperation.SetValue;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.protocol.dflockd.DflockdRequest.Data;
import io.holdfast.protocol.dflockd.DflockdRequest.Malformed;
import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

@DisplayName("A request about data")
class DflockdDataSyntaxTest {
    private static final Malformed MALFORMED = new Malformed();

    private static final List<String> COMMANDS =
            List.of(
                    "incr", "decr", "cset", "get", "kset", "kget", "kdel", "lpush", "rpush", "lpop",
                    "rpop", "llen", "lrange");

    private static Data data(DataOperation operation) {
        return new Data(key("k"), operation);
    }

    private static SetValue value(String content) {
        return new SetValue(ByteString.of(raw(content)), Command.FOREVER);
    }

    private static SetValue value(String content, long seconds) {
        return new SetValue(ByteString.of(raw(content)), seconds(seconds));
    }

    /** The request of these three lines, one byte per character. */
    private static DflockdRequest rawRequest(String command, String key, String argument) {
        return request(raw(command + "\n" + key + "\n" + argument + "\n"));
    }

    @Nested
    @DisplayName("Counters")
    class Numbers {
        @ParameterizedTest
        @CsvSource({
            "0,0",
            "5,5",
            "-5,-5",
            "+5,5",
            "-0,0",
            "+0,0",
            "007,7",
            "-007,-7",
            "+007,7",
            "9223372036854775807,9223372036854775807",
            "+9223372036854775807,9223372036854775807",
            "-9223372036854775807,-9223372036854775807",
            "-9223372036854775808,-9223372036854775808",
            "0000000000000000000000000000000009223372036854775807,9223372036854775807",
            "-0000000000000000000000000000000009223372036854775808,-9223372036854775808"
        })
        void a_counter_request_takes_any_64_bit_number(String text, long number) {
            assertThat(request("incr", "k", text)).isEqualTo(data(new Increment(number)));
            assertThat(request("decr", "k", text)).isEqualTo(data(new Decrement(number)));
            assertThat(request("cset", "k", text)).isEqualTo(data(new SetCounter(number)));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    " 5",
                    "5 ",
                    "\t5\t",
                    "\r5",
                    "\u000b5\f",
                    "\u00a05\u00a0",
                    "\u0085 5",
                    "\u16805",
                    "5\u2000",
                    "5\u2028\u2029",
                    "\u202f5\u205f",
                    "  \u3000 5\u200a "
                })
        void a_counter_request_ignores_whitespace_around_its_number(String text) {
            assertThat(request("incr", "k", text)).isEqualTo(data(new Increment(5)));
            assertThat(request("decr", "k", text)).isEqualTo(data(new Decrement(5)));
            assertThat(request("cset", "k", text)).isEqualTo(data(new SetCounter(5)));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "",
                    " ",
                    "\u00a0",
                    "+",
                    "-",
                    "+-1",
                    "--1",
                    "- 1",
                    "one",
                    "1.0",
                    "1e3",
                    "0x1",
                    "1_000",
                    "1,000",
                    "\u0663",
                    "\u200b1",
                    "1 2",
                    "1 more",
                    "1\u00a02",
                    "1 0",
                    "9223372036854775808",
                    "+9223372036854775808",
                    "-9223372036854775809",
                    "18446744073709551616",
                    "99999999999999999999999999"
                })
        void a_counter_request_with_an_invalid_argument_is_malformed(String text) {
            assertThat(request("incr", "k", text)).isEqualTo(MALFORMED);
            assertThat(request("decr", "k", text)).isEqualTo(MALFORMED);
            assertThat(request("cset", "k", text)).isEqualTo(MALFORMED);
        }
    }

    @Nested
    @DisplayName("Values")
    class Values {
        @ParameterizedTest
        @CsvSource(
                ignoreLeadingAndTrailingWhitespace = false,
                value = {
                    "hello 5,hello,5",
                    "a b 7,a b,7",
                    "5 5,5,5",
                    "a +5,a,5",
                    "a 005,a,5",
                    "a +0005,a,5",
                    "a  5,a ,5",
                    "  a 5,  a,5",
                    " 5,,5",
                    "'  5',' ',5",
                    "hello -5 5,hello -5,5",
                    "a 0 5,a 0,5",
                    "a 9223372036,a,9223372036",
                    "a +00000009223372036,a,9223372036"
                })
        void a_value_request_may_have_a_time_to_live_after_the_last_space(
                String argument, String content, long ttl) {
            assertThat(request("kset", "k", argument))
                    .isEqualTo(data(value(content == null ? "" : content, ttl)));
        }

        @ParameterizedTest
        @CsvSource(
                ignoreLeadingAndTrailingWhitespace = false,
                value = {
                    "5 0,5",
                    "a b 0,a b",
                    " 0,",
                    "a +0,a",
                    "a -0,a",
                    "a 000,a",
                    "a  0,a ",
                    "0 0,0"
                })
        void a_time_to_live_of_0_is_unlimited(String argument, String content) {
            assertThat(request("kset", "k", argument))
                    .isEqualTo(data(value(content == null ? "" : content)));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "5",
                    "0",
                    "hello",
                    "hello -5",
                    "hello -1",
                    "hello -9223372036854775808",
                    "hello -9223372036854775809",
                    "hello 9223372036854775808",
                    "hello +9223372036854775808",
                    "hello 18446744073709551616",
                    "hello 99999999999999999999999999",
                    "hello world",
                    "hello 5s",
                    "hello 5.0",
                    "hello 1e3",
                    "hello 0x5",
                    "hello +",
                    "hello -",
                    "hello +-5",
                    "hello --5",
                    "hello 5 x",
                    "hello\t5",
                    "hello \t5",
                    "hello 5\t",
                    "hello\t 5x",
                    "hello\u000b5",
                    "a ",
                    " ",
                    "  ",
                    " a",
                    " a ",
                    "5 ",
                    "5 5 ",
                    "\t",
                    " \t",
                    "+5",
                    "-5",
                    "hello 5\r6"
                })
        void a_value_without_a_time_to_live_is_the_whole_argument(String argument) {
            assertThat(request("kset", "k", argument)).isEqualTo(data(value(argument)));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "hello\u00a05",
                    "hello \u00a05",
                    "hello 5\u00a0",
                    "hello\u20035",
                    "hello \u0665",
                    "hello \uff15",
                    "gr\u00fcn"
                })
        void a_value_is_split_only_at_spaces_and_ascii_digits(String argument) {
            assertThat(request("kset", "k", argument))
                    .isEqualTo(data(new SetValue(ByteString.of(argument), Command.FOREVER)));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "",
                    "hello 9223372037",
                    "hello +9223372037",
                    "hello 18446744074",
                    "hello 9223372036854775807",
                    " 9223372037",
                    "hello 0009223372037"
                })
        void a_value_request_with_an_empty_value_or_too_long_a_time_to_live_is_malformed(
                String argument) {
            assertThat(request("kset", "k", argument)).isEqualTo(MALFORMED);
        }

        @Test
        void a_value_may_be_any_bytes() {
            for (int c = 0; c < 256; c++) {
                if (c != '\n') {
                    String content = "x" + (char) c + "y";
                    assertThat(rawRequest("kset", "k", content + " 0"))
                            .isEqualTo(data(value(content)));
                    assertThat(rawRequest("kset", "k", content)).isEqualTo(data(value(content)));
                }
            }
        }

        @Test
        void a_value_loses_only_the_carriage_returns_at_the_end_of_the_line() {
            assertThat(rawRequest("kset", "k", "a\rb\r\r")).isEqualTo(data(value("a\rb")));
            assertThat(rawRequest("kset", "k", "a\r 5\r")).isEqualTo(data(value("a\r", 5)));
            assertThat(rawRequest("kset", "k", "a 5\r\r")).isEqualTo(data(value("a", 5)));
            assertThat(rawRequest("kset", "k", "\r")).isEqualTo(MALFORMED);
            assertThat(rawRequest("kset", "k", " \r")).isEqualTo(data(value(" ")));
        }

        @Test
        void a_value_is_limited_by_the_line_limit() {
            String longest = "v".repeat(256);
            assertThat(request("kset", "k", longest)).isEqualTo(data(value(longest)));
            assertThat(request("kset", "k", " ".repeat(256)))
                    .isEqualTo(data(value(" ".repeat(256))));
            String withTtl = "v".repeat(254);
            assertThat(request("kset", "k", withTtl + " 9")).isEqualTo(data(value(withTtl, 9)));
            assertThat(decode(raw("kset\nk\n" + "v".repeat(257) + "\n")))
                    .containsExactly(new DflockdDecoderResult.LineTooLong());
            assertThat(decode(raw("kset\nk\n" + "v".repeat(255) + " 9\n")))
                    .containsExactly(new DflockdDecoderResult.LineTooLong());
        }
    }

    @Nested
    @DisplayName("List items")
    class Items {
        @Test
        void the_first_letter_of_a_push_selects_the_end() {
            assertThat(request("lpush", "k", "a")).isEqualTo(data(push(FRONT, "a")));
            assertThat(request("rpush", "k", "a")).isEqualTo(data(push(BACK, "a")));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    " ", "  ", "\t", " a", "a ", " a b ", "a 5", "a 0", "0", "-5", "a\tb", "a\rb",
                    "\ra", "\u00ff", "\u0000", "\u0085"
                })
        void a_push_takes_its_argument_unchanged(String item) {
            assertThat(rawRequest("lpush", "k", item)).isEqualTo(data(push(FRONT, item)));
            assertThat(rawRequest("rpush", "k", item)).isEqualTo(data(push(BACK, item)));
        }

        @Test
        void a_push_without_an_item_is_malformed() {
            for (String nothing : List.of("", "\r", "\r\r\r")) {
                assertThat(rawRequest("lpush", "k", nothing)).isEqualTo(MALFORMED);
                assertThat(rawRequest("rpush", "k", nothing)).isEqualTo(MALFORMED);
            }
        }

        @Test
        void an_item_is_limited_by_the_line_limit() {
            for (String item : List.of("i".repeat(256), " ".repeat(256), "\u00e9".repeat(256))) {
                assertThat(rawRequest("lpush", "k", item)).isEqualTo(data(push(FRONT, item)));
                assertThat(rawRequest("rpush", "k", item)).isEqualTo(data(push(BACK, item)));
            }
            assertThat(decode(raw("rpush\nk\n" + "i".repeat(257) + "\n")))
                    .containsExactly(new DflockdDecoderResult.LineTooLong());
        }

        private static Push push(DataOperation.End end, String item) {
            return new Push(end, ByteString.of(raw(item)));
        }
    }

    @Nested
    @DisplayName("List ranges")
    class Ranges {
        @ParameterizedTest
        @CsvSource(
                ignoreLeadingAndTrailingWhitespace = false,
                value = {
                    "0 -1,0,-1",
                    "-1 0,-1,0",
                    "+1 +2,1,2",
                    "00 -00,0,0",
                    "-007 008,-7,8",
                    " 0  -1 ,0,-1",
                    "\t0\t-1\t,0,-1",
                    "0\u00a0-1,0,-1",
                    "\u30000\u2003 \u2028-1\u0085,0,-1",
                    "-9223372036854775808"
                            + " 9223372036854775807,-9223372036854775808,9223372036854775807",
                    "9223372036854775807"
                            + " -9223372036854775808,9223372036854775807,-9223372036854775808"
                })
        void a_range_request_has_two_indexes(String argument, long first, long last) {
            assertThat(request("lrange", "k", argument)).isEqualTo(data(new Range(first, last)));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "",
                    " ",
                    "0",
                    "0 ",
                    "-1",
                    "0 1 2",
                    "0 1 x",
                    "0 x",
                    "x 0",
                    "0,1",
                    "0-1",
                    "0 -",
                    "- 0",
                    "0 1.0",
                    "0 9223372036854775808",
                    "9223372036854775808 0",
                    "-9223372036854775809 0",
                    "0 -9223372036854775809",
                    "0 18446744073709551615",
                    "0\u200b1"
                })
        void a_range_request_with_an_invalid_argument_is_malformed(String argument) {
            assertThat(request("lrange", "k", argument)).isEqualTo(MALFORMED);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "x",
                "5",
                "-1",
                "a b c",
                "0 1",
                "\t",
                "\u00ff",
                "9223372036854775808",
                "\u0000\r\u0001"
            })
    void a_data_request_without_arguments_ignores_its_argument_line(String ignored) {
        assertThat(rawRequest("get", "k", ignored)).isEqualTo(data(new GetCounter()));
        assertThat(rawRequest("kget", "k", ignored)).isEqualTo(data(new GetValue()));
        assertThat(rawRequest("kdel", "k", ignored)).isEqualTo(data(new DeleteValue()));
        assertThat(rawRequest("llen", "k", ignored)).isEqualTo(data(new Length()));
        assertThat(rawRequest("lpop", "k", ignored)).isEqualTo(data(new Pop(FRONT)));
        assertThat(rawRequest("rpop", "k", ignored)).isEqualTo(data(new Pop(BACK)));
    }

    static Stream<String> commands() {
        return COMMANDS.stream();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void a_data_request_needs_a_key(String command) {
        String argument = command.equals("lrange") ? "0 1" : "1";
        assertThat(request(command, "k", argument)).isInstanceOf(Data.class);
        for (String bad : List.of("", " ", "\t", " k", "k ", "k k", "k\tk", "\rk", "k\rk")) {
            assertThat(request(command, bad, argument)).as("key '%s'", bad).isEqualTo(MALFORMED);
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void a_data_request_takes_any_bytes_but_whitespace_as_its_key(String command) {
        String argument = command.equals("lrange") ? "0 1" : "1";
        for (int c = 0; c < 256; c++) {
            if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
                String key = "x" + (char) c;
                assertThat(rawRequest(command, key, argument))
                        .isInstanceOfSatisfying(
                                Data.class,
                                it ->
                                        assertThat(it.key())
                                                .isEqualTo(Key.of(Namespace.DEFAULT, raw(key))));
            }
        }
        String longest = "k".repeat(256);
        assertThat(rawRequest(command, longest, argument))
                .isInstanceOfSatisfying(
                        Data.class, it -> assertThat(it.key()).isEqualTo(key(longest)));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void the_command_of_a_data_request_must_match_exactly(String command) {
        String argument = command.equals("lrange") ? "0 1" : "1";
        for (String other :
                List.of(
                        " " + command,
                        command + " ",
                        command.toUpperCase(Locale.ROOT),
                        command.substring(0, 1).toUpperCase(Locale.ROOT) + command.substring(1),
                        command + "s",
                        command + "\u0000",
                        "s" + command,
                        "x" + command.substring(1),
                        command.substring(0, command.length() - 1) + "_",
                        command.substring(0, command.length() - 1))) {
            if (!COMMANDS.contains(other)) {
                assertThat(request(other, "k", argument)).as("%s", other).isEqualTo(MALFORMED);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void a_data_request_uses_the_namespace_of_its_listener(String command) {
        String argument = command.equals("lrange") ? "0 1" : "1";
        var tenant = new Namespace("tenant");
        var decoder = new DflockdDecoder(tenant);
        byte[] bytes = raw(command + "\nk\n" + argument + "\n");
        assertThat(decoder.decode(Unpooled.wrappedBuffer(bytes)))
                .isInstanceOfSatisfying(
                        DflockdDecoderResult.Request.class,
                        it ->
                                assertThat(((Data) it.request()).key())
                                        .isEqualTo(Key.of(tenant, raw("k"))));
    }
}
