package io.holdfast.protocol.dflockd;

import static io.holdfast.engine.ResourceKind.LOCK;
import static io.holdfast.engine.ResourceKind.SEMAPHORE;
import static io.holdfast.protocol.dflockd.DflockdRequest.DEFAULT_LEASE;
import static io.holdfast.protocol.dflockd.WireBytes.key;
import static io.holdfast.protocol.dflockd.WireBytes.raw;
import static io.holdfast.protocol.dflockd.WireBytes.request;
import static io.holdfast.protocol.dflockd.WireBytes.seconds;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;
import io.holdfast.protocol.dflockd.DflockdRequest.Acquire;
import io.holdfast.protocol.dflockd.DflockdRequest.Auth;
import io.holdfast.protocol.dflockd.DflockdRequest.Await;
import io.holdfast.protocol.dflockd.DflockdRequest.Enqueue;
import io.holdfast.protocol.dflockd.DflockdRequest.Malformed;
import io.holdfast.protocol.dflockd.DflockdRequest.Ping;
import io.holdfast.protocol.dflockd.DflockdRequest.Release;
import io.holdfast.protocol.dflockd.DflockdRequest.Renew;
import io.holdfast.protocol.dflockd.DflockdRequest.Stats;
import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

@DisplayName("A dflockd request")
class DflockdSyntaxTest {
    private static final Malformed MALFORMED = new Malformed();
    private static final Key PRINTER = key("printer");
    private static final String TOKEN = "0123456789abcdeffedcba9876543210";
    private static final Token SAME = new Token(0x0123456789abcdefL, 0xfedcba9876543210L);
    private static final long MOST_SECONDS = 9223372036L;

    /** The command of this letter for locks or for semaphores. */
    private static String command(ResourceKind resourceKind, String letter) {
        return resourceKind == SEMAPHORE ? "s" + letter : letter;
    }

    @Nested
    @DisplayName("Acquire")
    class ToAcquire {
        @Test
        void an_acquire_of_a_lock_has_a_timeout() {
            assertThat(request("l", "printer", "10"))
                    .isEqualTo(new Acquire(LOCK, PRINTER, 1, seconds(10), DEFAULT_LEASE));
        }

        @Test
        void an_acquire_of_a_lock_may_have_a_lease() {
            assertThat(request("l", "printer", "10 60"))
                    .isEqualTo(new Acquire(LOCK, PRINTER, 1, seconds(10), seconds(60)));
        }

        @Test
        void an_acquire_of_a_slot_has_a_timeout_and_a_limit() {
            assertThat(request("sl", "printer", "10 3"))
                    .isEqualTo(new Acquire(SEMAPHORE, PRINTER, 3, seconds(10), DEFAULT_LEASE));
        }

        @Test
        void an_acquire_of_a_slot_may_have_a_lease() {
            assertThat(request("sl", "printer", "10 3 60"))
                    .isEqualTo(new Acquire(SEMAPHORE, PRINTER, 3, seconds(10), seconds(60)));
        }

        @Test
        void an_acquire_may_have_a_timeout_of_0() {
            assertThat(request("l", "printer", "0"))
                    .isEqualTo(new Acquire(LOCK, PRINTER, 1, 0, DEFAULT_LEASE));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "",
                    " ",
                    "soon",
                    "1 2 3",
                    "-1",
                    "0 0",
                    "0 -5",
                    "0 soon",
                    "1,2",
                    "1;2",
                    "0 1 " + "2"
                })
        void an_acquire_of_a_lock_with_an_invalid_argument_is_malformed(String argument) {
            assertThat(request("l", "printer", argument)).isEqualTo(MALFORMED);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "",
                    " ",
                    "0",
                    "0 0",
                    "0 -2",
                    "0 many",
                    "-1 2",
                    "0 2 0",
                    "0 2 -1",
                    "0 2 5 9",
                    "soon 2",
                    "0 2 soon",
                    "0 9223372036854775808"
                })
        void an_acquire_of_a_slot_with_an_invalid_argument_is_malformed(String argument) {
            assertThat(request("sl", "printer", argument)).isEqualTo(MALFORMED);
        }

        @Test
        void an_acquire_of_a_slot_takes_any_positive_64_bit_limit() {
            assertThat(request("sl", "printer", "0 9223372036854775807"))
                    .isEqualTo(new Acquire(SEMAPHORE, PRINTER, Long.MAX_VALUE, 0, DEFAULT_LEASE));
        }
    }

    @Nested
    @DisplayName("Enqueue")
    class ToEnqueue {
        @Test
        void an_enqueue_for_a_lock_needs_no_argument() {
            assertThat(request("e", "printer", ""))
                    .isEqualTo(new Enqueue(LOCK, PRINTER, 1, DEFAULT_LEASE));
        }

        @Test
        void an_enqueue_for_a_lock_ignores_whitespace() {
            assertThat(request("e", "printer", " \t "))
                    .isEqualTo(new Enqueue(LOCK, PRINTER, 1, DEFAULT_LEASE));
        }

        @Test
        void an_enqueue_for_a_lock_may_have_a_lease() {
            assertThat(request("e", "printer", "25"))
                    .isEqualTo(new Enqueue(LOCK, PRINTER, 1, seconds(25)));
        }

        @Test
        void an_enqueue_for_a_slot_has_a_limit() {
            assertThat(request("se", "printer", "4"))
                    .isEqualTo(new Enqueue(SEMAPHORE, PRINTER, 4, DEFAULT_LEASE));
        }

        @Test
        void an_enqueue_for_a_slot_may_have_a_lease() {
            assertThat(request("se", "printer", "4 25"))
                    .isEqualTo(new Enqueue(SEMAPHORE, PRINTER, 4, seconds(25)));
        }

        @ParameterizedTest
        @ValueSource(strings = {"0", "-1", "soon", "30 more", "30 30", "30 30 30"})
        void an_enqueue_for_a_lock_with_an_invalid_argument_is_malformed(String argument) {
            assertThat(request("e", "printer", argument)).isEqualTo(MALFORMED);
        }

        @ParameterizedTest
        @ValueSource(strings = {"", " ", "0", "-4", "many", "4 0", "4 -1", "4 soon", "4 5 6"})
        void an_enqueue_for_a_slot_with_an_invalid_argument_is_malformed(String argument) {
            assertThat(request("se", "printer", argument)).isEqualTo(MALFORMED);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LOCK", "SEMAPHORE"})
    void a_wait_request_has_a_timeout(ResourceKind resourceKind) {
        assertThat(request(command(resourceKind, "w"), "printer", "7"))
                .isEqualTo(new Await(resourceKind, PRINTER, seconds(7)));
        assertThat(request(command(resourceKind, "w"), "printer", "0"))
                .isEqualTo(new Await(resourceKind, PRINTER, 0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "-1", "soon", "1 2", "1 more"})
    void a_wait_request_with_an_invalid_argument_is_malformed(String argument) {
        assertThat(request("w", "printer", argument)).isEqualTo(MALFORMED);
        assertThat(request("sw", "printer", argument)).isEqualTo(MALFORMED);
    }

    @Nested
    @DisplayName("Tokens")
    class WithToken {
        @ParameterizedTest
        @EnumSource(names = {"LOCK", "SEMAPHORE"})
        void releases(ResourceKind resourceKind) {
            assertThat(request(command(resourceKind, "r"), "printer", TOKEN))
                    .isEqualTo(new Release(resourceKind, PRINTER, SAME));
        }

        @ParameterizedTest
        @EnumSource(names = {"LOCK", "SEMAPHORE"})
        void a_renew_without_a_lease_uses_the_default_lease(ResourceKind resourceKind) {
            assertThat(request(command(resourceKind, "n"), "printer", TOKEN))
                    .isEqualTo(new Renew(resourceKind, PRINTER, SAME, DEFAULT_LEASE));
        }

        @ParameterizedTest
        @EnumSource(names = {"LOCK", "SEMAPHORE"})
        void a_renew_may_have_a_lease(ResourceKind resourceKind) {
            assertThat(request(command(resourceKind, "n"), "printer", TOKEN + " 50"))
                    .isEqualTo(new Renew(resourceKind, PRINTER, SAME, seconds(50)));
        }

        @Test
        void whitespace_around_a_token_is_ignored() {
            assertThat(request("r", "printer", " \t" + TOKEN + "  "))
                    .isEqualTo(new Release(LOCK, PRINTER, SAME));
            assertThat(request("n", "printer", "  " + TOKEN + " \t 12 "))
                    .isEqualTo(new Renew(LOCK, PRINTER, SAME, seconds(12)));
        }

        @Test
        void all_64_bits_of_fence_and_salt_are_parsed() {
            assertThat(request("r", "printer", "ffffffffffffffff8000000000000001"))
                    .isEqualTo(new Release(LOCK, PRINTER, new Token(-1, Long.MIN_VALUE + 1)));
            assertThat(request("r", "printer", "00000000000000000000000000000000"))
                    .isEqualTo(new Release(LOCK, PRINTER, new Token(0, 0)));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "",
                    " ",
                    "abc",
                    "0123456789ABCDEFFEDCBA9876543210",
                    "0123456789abcdeffedcba987654321",
                    "0123456789abcdeffedcba98765432100",
                    "0123456789abcdeffedcba987654321g",
                    "0123456789abcdeffedcba987654321/",
                    "0123456789abcdeffedcba987654321:",
                    "0123456789abcdeffedcba987654321`",
                    "0123456789abcdef fedcba9876543210",
                    "0x0123456789abcdeffedcba98765432",
                    "-123456789abcdeffedcba9876543210"
                })
        void an_invalid_token_is_malformed(String token) {
            for (String command : List.of("r", "sr", "n", "sn")) {
                assertThat(request(command, "printer", token)).isEqualTo(MALFORMED);
            }
        }

        @Test
        void a_release_with_a_second_field_is_malformed() {
            assertThat(request("r", "printer", TOKEN + " 10")).isEqualTo(MALFORMED);
            assertThat(request("sr", "printer", TOKEN + " x")).isEqualTo(MALFORMED);
        }

        @ParameterizedTest
        @ValueSource(strings = {"0", "-1", "soon", "1 2"})
        void a_renew_with_more_than_token_and_lease_is_malformed(String rest) {
            assertThat(request("n", "printer", TOKEN + " " + rest)).isEqualTo(MALFORMED);
            assertThat(request("sn", "printer", TOKEN + " " + rest)).isEqualTo(MALFORMED);
        }
    }

    @Nested
    @DisplayName("Requests without a key")
    class WithoutKey {
        @ParameterizedTest
        @CsvSource({"'',''", "_,''", "a b,c d", "'\tx',' '"})
        void ping_ignores_its_other_lines(String key, String argument) {
            assertThat(request("ping", key, argument)).isEqualTo(new Ping());
        }

        @ParameterizedTest
        @CsvSource({"'',''", "_,''", "a b,c d", "'\tx',' '"})
        void stats_ignores_its_other_lines(String key, String argument) {
            assertThat(request("stats", key, argument)).isEqualTo(new Stats());
        }

        @ParameterizedTest
        @CsvSource({"'',open", "_,' open '", "a b,'\topen\u00a0'"})
        void the_secret_of_auth_is_trimmed_of_whitespace(String key, String argument) {
            assertThat(request("auth", key, argument))
                    .isInstanceOfSatisfying(
                            Auth.class,
                            auth -> assertThat(auth.secret()).asString().isEqualTo("open"));
        }

        @Test
        void whitespace_inside_a_secret_is_kept() {
            assertThat(request("auth", "", " open  sesame "))
                    .isInstanceOfSatisfying(
                            Auth.class,
                            auth -> assertThat(auth.secret()).asString().isEqualTo("open  sesame"));
        }

        @Test
        void the_secret_of_auth_may_be_empty() {
            assertThat(request("auth", "", "  "))
                    .isInstanceOfSatisfying(
                            Auth.class, auth -> assertThat(auth.secret()).isEmpty());
        }

        @Test
        void an_auth_request_does_not_print_its_secret() {
            assertThat(request("auth", "", "open-sesame").toString()).doesNotContain("sesame");
        }
    }

    @Nested
    @DisplayName("Commands")
    class HasCommand {
        @ParameterizedTest
        @ValueSource(
                strings = {
                    "", " ", "L", " l", "l ", "\tl", "ll", "s", "ss", "sl ", " sl", "Sl", "SL",
                    "sll", "sp", "xl", "ping ", " ping", "PING", "Ping", "pin", "pings", "stat",
                    "statss", "Stats", "Auth", "auth ", "bogus", "l\u0000", "\u00a0l", "l\r1",
                    "lock"
                })
        void a_command_must_match_exactly(String command) {
            assertThat(request(command, "printer", "1")).isEqualTo(MALFORMED);
        }

        @Test
        void only_five_dflockd_commands_have_one_byte() {
            IntStream.range(0, 256)
                    .filter(c -> c != '\n' && "lrnew".indexOf(c) < 0)
                    .forEach(
                            c -> {
                                String alone = (char) c + "\nprinter\n1\n";
                                assertThat(request(raw(alone))).isEqualTo(MALFORMED);
                                assertThat(request(raw("s" + alone))).isEqualTo(MALFORMED);
                            });
        }

        @Test
        void commands_of_two_bytes_begin_with_s() {
            IntStream.range(0, 256)
                    .filter(c -> c != '\n' && c != 's')
                    .forEach(
                            c ->
                                    assertThat(request(raw((char) c + "l\nprinter\n1 1\n")))
                                            .isEqualTo(MALFORMED));
        }
    }

    @Nested
    @DisplayName("Keys")
    class HasKey {
        @Test
        void a_key_may_have_any_byte_but_four() {
            for (int c = 0; c < 256; c++) {
                if (c == '\n') {
                    continue; // the end of the line
                }
                boolean allowed = c != ' ' && c != '\t' && c != '\r';
                byte[] bytes = raw("x" + (char) c + "y");
                byte[] line = raw("l\nx" + (char) c + "y\n0\n");
                assertThat(request(line))
                        .as("byte 0x%02x", c)
                        .isEqualTo(
                                allowed
                                        ? new Acquire(
                                                LOCK,
                                                Key.of(Namespace.DEFAULT, bytes),
                                                1,
                                                0,
                                                DEFAULT_LEASE)
                                        : MALFORMED);
            }
        }

        @ParameterizedTest
        @ValueSource(strings = {"", " ", "\t", " a", "a ", "\ta", "a\t", "a b", "a\rb", "\ra"})
        void a_key_is_not_empty_and_not_trimmed(String key) {
            assertThat(request("l", key, "0")).isEqualTo(MALFORMED);
            assertThat(request("e", key, "")).isEqualTo(MALFORMED);
            assertThat(request("w", key, "0")).isEqualTo(MALFORMED);
            assertThat(request("r", key, TOKEN)).isEqualTo(MALFORMED);
            assertThat(request("sn", key, TOKEN)).isEqualTo(MALFORMED);
        }

        @Test
        void whitespace_beyond_ascii_is_part_of_a_key() {
            assertThat(request("w", "\u00a0a\u3000", "0"))
                    .isEqualTo(new Await(LOCK, key("\u00a0a\u3000"), 0));
        }

        @Test
        void a_key_need_not_be_valid_utf8() {
            DflockdRequest one = request(raw("w\na\u00ff\n0\n"));
            DflockdRequest other = request(raw("w\na\u00fe\n0\n"));
            assertThat(one)
                    .isEqualTo(new Await(LOCK, Key.of(Namespace.DEFAULT, raw("a\u00ff")), 0))
                    .isNotEqualTo(other);
        }

        @Test
        void a_key_is_in_the_namespace_of_its_listener() {
            var tenant = new Namespace("tenant");
            var decoder = new DflockdDecoder(tenant);
            assertThat(decoder.decode(Unpooled.wrappedBuffer(raw("w\na\n0\n"))))
                    .isEqualTo(
                            new DflockdDecoderResult.Request(
                                    new Await(LOCK, Key.of(tenant, raw("a")), 0)));
        }
    }

    @Nested
    @DisplayName("Numbers")
    class HasNumber {
        @ParameterizedTest
        @CsvSource({
            "0,0",
            "7,7",
            "+7,7",
            "007,7",
            "+007,7",
            "-0,0",
            "+0,0",
            "-000,0",
            "000,0",
            "9223372036,9223372036",
            "+0009223372036,9223372036",
            "000000000000000000000000000000000000000000000000000000000000005,5"
        })
        void a_number_may_have_a_sign_and_leading_zeros(String text, long value) {
            assertThat(request("w", "printer", text))
                    .isEqualTo(new Await(LOCK, PRINTER, seconds(value)));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "+", "-", "++1", "--1", "+-1", "-+1", "1+", "1-", "1.0", "1.", ".1", "1e1",
                    "0x1", "0b1", "0o1", "1_0", "1,0", "1L", "1s", "\u0663", "\uff11", "\u00b2",
                    "1\u0000", "\u00001", "one", "NaN", "1/2"
                })
        void a_number_has_decimal_digits_only(String text) {
            assertThat(request("w", "printer", text)).isEqualTo(MALFORMED);
            assertThat(request("e", "printer", text)).isEqualTo(MALFORMED);
            assertThat(request("se", "printer", text)).isEqualTo(MALFORMED);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "9223372037",
                    "9223372036854775807",
                    "9223372036854775808",
                    "9223372036854775809",
                    "18446744073709551616",
                    "18446744074",
                    "36893488147419103232",
                    "99999999999999999999",
                    "340282366920938463463374607431768211456",
                    "-9223372036854775808",
                    "-9223372036854775809",
                    "-18446744073709551615"
                })
        void too_many_seconds_are_malformed_and_do_not_overflow(String text) {
            assertThat(request("l", "printer", text)).isEqualTo(MALFORMED);
            assertThat(request("l", "printer", "0 " + text)).isEqualTo(MALFORMED);
            assertThat(request("sl", "printer", "0 1 " + text)).isEqualTo(MALFORMED);
            assertThat(request("e", "printer", text)).isEqualTo(MALFORMED);
            assertThat(request("se", "printer", "1 " + text)).isEqualTo(MALFORMED);
            assertThat(request("w", "printer", text)).isEqualTo(MALFORMED);
            assertThat(request("n", "printer", TOKEN + " " + text)).isEqualTo(MALFORMED);
        }

        @Test
        void the_largest_number_of_seconds_is_accepted() {
            long most = seconds(MOST_SECONDS);
            assertThat(request("sl", "printer", "9223372036 1 9223372036"))
                    .isEqualTo(new Acquire(SEMAPHORE, PRINTER, 1, most, most));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "0",
                    "-1",
                    "9223372036854775808",
                    "18446744073709551617",
                    "-9223372036854775808"
                })
        void a_limit_is_any_positive_64_bit_number(String limit) {
            assertThat(request("se", "printer", limit)).isEqualTo(MALFORMED);
            assertThat(request("sl", "printer", "0 " + limit)).isEqualTo(MALFORMED);
        }
    }

    @Nested
    @DisplayName("Whitespace")
    class HasBlanks {
        /** The whole set of the specification, but for the line feed, which ends the line. */
        static Stream<Integer> blanks() {
            return IntStream.concat(
                            IntStream.of(
                                    '\t', 0x0b, 0x0c, '\r', ' ', 0x85, 0xa0, 0x1680, 0x2028, 0x2029,
                                    0x202f, 0x205f, 0x3000),
                            IntStream.rangeClosed(0x2000, 0x200a))
                    .boxed();
        }

        @ParameterizedTest
        @MethodSource("blanks")
        void whitespace_separates_fields_and_is_ignored_at_the_ends(int blank) {
            String b = Character.toString(blank);
            assertThat(request("l", "printer", b + b + "1" + b + b + "2" + b))
                    .isEqualTo(new Acquire(LOCK, PRINTER, 1, seconds(1), seconds(2)));
            assertThat(request("r", "printer", b + TOKEN + b + b))
                    .isEqualTo(new Release(LOCK, PRINTER, SAME));
            assertThat(request("auth", "", b + "open" + b + "sesame" + b))
                    .isInstanceOfSatisfying(
                            Auth.class,
                            auth ->
                                    assertThat(auth.secret())
                                            .isEqualTo(WireBytes.utf8("open" + b + "sesame")));
        }

        @Test
        void different_kinds_of_whitespace_may_be_mixed() {
            assertThat(request("l", "printer", "\u3000 \u00a0\t1\u2003\r \u202f2\u0085\u000b"))
                    .isEqualTo(new Acquire(LOCK, PRINTER, 1, seconds(1), seconds(2)));
        }

        /** Whitespace in Java or visually, but not in this protocol. */
        @ParameterizedTest
        @ValueSource(
                ints = {
                    0x00, 0x08, 0x0e, 0x1c, 0x1d, 0x1e, 0x1f, 0x7f, 0x84, 0x86, 0x9f, 0xa1, 0x167f,
                    0x1681, 0x180e, 0x1fff, 0x200b, 0x200d, 0x2027, 0x202a, 0x202e, 0x2030, 0x205e,
                    0x2060, 0x2fff, 0x3001, 0xfeff
                })
        void a_character_that_is_not_whitespace_makes_a_number_malformed(int other) {
            String o = Character.toString(other);
            assertThat(request("l", "printer", "1" + o)).isEqualTo(MALFORMED);
            assertThat(request("l", "printer", o + "1")).isEqualTo(MALFORMED);
            assertThat(request("l", "printer", "1" + o + "2")).isEqualTo(MALFORMED);
        }

        /** Parts of whitespace, and whitespace in Latin-1 or in overlong UTF-8. */
        @ParameterizedTest
        @ValueSource(
                strings = {
                    "\u0085",
                    "\u00a0",
                    "\u00c2",
                    "\u00e2",
                    "\u00e2\u0080",
                    "\u0080\u0080",
                    "\u00e3\u0080",
                    "\u00e1\u009a",
                    "\u00c0\u00a0",
                    "\u00e0\u0082\u00a0",
                    "\u00f0\u0082\u0080\u0080"
                })
        void only_valid_utf8_is_whitespace(String bytes) {
            assertThat(request(raw("w\nprinter\n1" + bytes + "\n"))).isEqualTo(MALFORMED);
            assertThat(request(raw("w\nprinter\n" + bytes + "1\n"))).isEqualTo(MALFORMED);
        }

        @Test
        void whitespace_after_an_invalid_sequence_is_recognized() {
            assertThat(request(raw("auth\n\n\u00e2\u0080 x\u00e2\u00c2\u00a0\n")))
                    .isInstanceOfSatisfying(
                            Auth.class,
                            auth ->
                                    assertThat(auth.secret())
                                            .isEqualTo(raw("\u00e2\u0080 x\u00e2")));
        }
    }
}
