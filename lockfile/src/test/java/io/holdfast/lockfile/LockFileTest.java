package io.holdfast.lockfile;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.time.Instant;

@DisplayName("The reader of a lock file")
class LockFileTest {
    private static final Holder HOLDER = holder(12, 34, null);

    @Nested
    @DisplayName("reads lines")
    class Lines {
        @Test
        void lines_are_read_in_any_order() {
            assertThat(read("tag=t\ntimestamp=34\npid=12\n")).isEqualTo(holder(12, 34, "t"));
        }

        @Test
        void whitespace_at_both_ends_of_a_line_is_removed() {
            assertThat(read(" \t\u000b\fpid=12 \t\r\u000b\f\n\r\ttimestamp=34\r\n"))
                    .isEqualTo(HOLDER);
        }

        @ParameterizedTest
        @ValueSource(strings = {"\0", "\u001f", "\u007f", "\u0085", "\u00a0", "\u200b", "\ufeff"})
        void only_the_whitespace_of_a_lock_file_is_removed_from_its_lines(String other) {
            assertThat(content("pid=12" + other + "\ntimestamp=34\n"))
                    .isEqualTo(LockFileContent.FOREIGN);
            assertThat(content("timestamp=34\n" + other + "pid=12\n"))
                    .isEqualTo(LockFileContent.FOREIGN);
            assertThat(read("pid=12\ntimestamp=34\ntag=t" + other + "\n").tag())
                    .isEqualTo("t" + other);
        }

        @ParameterizedTest
        @ValueSource(strings = {"\r", "\u000b", "\f", "\u0085", "\u2028", "\u2029", "\0"})
        void only_a_line_feed_ends_a_line_of_a_lock_file(String other) {
            String tag = "a" + other + "pid=7" + other + "b";
            assertThat(read("pid=12\ntimestamp=34\ntag=" + tag + "\n"))
                    .isEqualTo(holder(12, 34, tag));
        }

        @ParameterizedTest
        @ValueSource(strings = {"", " \t", "\r", "no field", "=", "=pid", "other=pid=7"})
        void lines_without_a_known_field_are_skipped(String line) {
            assertThat(read(line + "\npid=12\n" + line + "\ntimestamp=34\n" + line))
                    .isEqualTo(HOLDER);
        }

        @ParameterizedTest
        @ValueSource(strings = {"pid =5", "Pid=5", "PID=5", "pid\t=5", "xpid=5", "p=5", "pid:5"})
        void only_exactly_spelt_keys_of_a_lock_file_are_read(String line) {
            assertThat(read("pid=12\ntimestamp=34\n" + line + "\n")).isEqualTo(HOLDER);
            assertThat(content(line + "\ntimestamp=34\n")).isEqualTo(LockFileContent.FOREIGN);
        }

        @Test
        void a_line_of_a_lock_file_is_split_at_the_first_equals_sign() {
            assertThat(read("pid=12\ntimestamp=34\ntag==a=b\n").tag()).isEqualTo("=a=b");
        }

        @Test
        void of_lines_with_the_same_key_the_last_one_counts() {
            assertThat(read("pid=x\ntimestamp=3\ntag=a\ntag=b\ntimestamp=34\npid=12\n"))
                    .isEqualTo(holder(12, 34, "b"));
        }

        @Test
        void a_later_invalid_line_invalidates_the_field() {
            assertThat(content("pid=12\ntimestamp=34\npid=x\n")).isEqualTo(LockFileContent.FOREIGN);
            assertThat(content("pid=12\ntimestamp=34\ntimestamp=\n"))
                    .isEqualTo(LockFileContent.FOREIGN);
        }

        @Test
        void one_byte_order_mark_is_skipped() {
            assertThat(read("\ufeffpid=12\ntimestamp=34\n")).isEqualTo(HOLDER);
            assertThat(content("\ufeff\ufeffpid=12\ntimestamp=34\n"))
                    .isEqualTo(LockFileContent.FOREIGN);
            assertThat(content("timestamp=34\n\ufeffpid=12\n")).isEqualTo(LockFileContent.FOREIGN);
        }

        @Test
        void malformed_bytes_in_a_tag_are_accepted() {
            byte[] bytes =
                    "pid=12\ntimestamp=34\ntag=a\u00ffb\n".getBytes(StandardCharsets.ISO_8859_1);
            assertThat(parse(bytes).holder()).isEqualTo(holder(12, 34, "a\ufffdb"));
        }
    }

    @Nested
    @DisplayName("reads tags")
    class Tags {
        @Test
        void a_lock_file_without_a_tag_line_has_no_tag() {
            assertThat(read("pid=12\ntimestamp=34\n").tag()).isNull();
        }

        @Test
        void a_tag_line_without_text_is_an_empty_tag() {
            assertThat(read("pid=12\ntimestamp=34\ntag=\n").tag()).isEmpty();
            assertThat(read("pid=12\ntimestamp=34\ntag=  \n").tag()).isEmpty();
        }

        @Test
        void a_tag_keeps_its_leading_and_inner_whitespace() {
            assertThat(read("pid=12\ntimestamp=34\ntag= \ta  b \t\n").tag()).isEqualTo(" \ta  b");
        }

        @Test
        void a_tag_line_without_a_line_feed_is_read() {
            assertThat(read("pid=12\ntimestamp=34\ntag=cut").tag()).isEqualTo("cut");
        }
    }

    @Nested
    @DisplayName("reads numbers")
    class Numbers {
        @ParameterizedTest
        @ValueSource(strings = {"5", "+5", "005", "+0000000000000000000000000000000000000005"})
        void decimal_digits_after_an_optional_plus_are_a_number(String text) {
            assertThat(read("pid=" + text + "\ntimestamp=" + text + "\n"))
                    .isEqualTo(holder(5, 5, null));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "",
                    "+",
                    "++5",
                    "-5",
                    "-0",
                    "+-5",
                    " 5",
                    "\t5",
                    "5 6",
                    "5.0",
                    "5e1",
                    "0x5",
                    "5abc",
                    "5\0",
                    "1_000",
                    "\u0665",
                    "\uff15",
                    "100000000000000000000"
                })
        void a_lock_file_with_a_malformed_number_is_foreign(String text) {
            assertThat(content("pid=" + text + "\ntimestamp=34\n"))
                    .isEqualTo(LockFileContent.FOREIGN);
            assertThat(content("timestamp=" + text + "\npid=12\n"))
                    .isEqualTo(LockFileContent.FOREIGN);
        }

        @Test
        void a_pid_has_up_to_32_bits() {
            assertThat(read("pid=0\ntimestamp=34\n").pid()).isZero();
            assertThat(read("pid=4294967295\ntimestamp=34\n").pid()).isEqualTo(4294967295L);
            assertThat(content("pid=4294967296\ntimestamp=34\n"))
                    .isEqualTo(LockFileContent.FOREIGN);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {"9223372036854775807", "9223372036854775808", "18446744073709551615"})
        void a_timestamp_of_up_to_64_bits_is_limited_to_the_maximum_of_a_long(String text) {
            assertThat(read("pid=12\ntimestamp=" + text + "\n").timestamp())
                    .isEqualTo(Long.MAX_VALUE);
        }

        @Test
        void a_timestamp_of_more_than_64_bits_is_invalid() {
            assertThat(content("pid=12\ntimestamp=18446744073709551616\n"))
                    .isEqualTo(LockFileContent.FOREIGN);
        }
    }

    @Nested
    @DisplayName("reads extension fields")
    class Extensions {
        private static final String START = "pid=12\ntimestamp=34\n";

        @Test
        void the_last_line_of_each_extension_field_counts() {
            String lines = "nonce=0a\nstart=5\nhost=h\nacquired=6\n";
            assertThat(read("nonce=x\nstart=7\nhost=y\nacquired=8\n" + START + lines))
                    .isEqualTo(new Holder(12, 34, null, "0a", 5L, "h", 6L));
        }

        @ParameterizedTest
        @ValueSource(strings = {"", "x", "-1", "1.5", "18446744073709551616"})
        void an_extension_field_with_an_invalid_number_is_absent(String text) {
            assertThat(read(START + "start=5\nstart=" + text + "\n")).isEqualTo(HOLDER);
            assertThat(read(START + "acquired=5\nacquired=" + text + "\n")).isEqualTo(HOLDER);
        }

        @ParameterizedTest
        @ValueSource(strings = {"nonce=9f2c", "start=17035", "host=build", "acquired=17035"})
        void an_extension_field_without_a_line_feed_is_ignored(String line) {
            assertThat(read(START + line)).isEqualTo(HOLDER);
            assertThat(read(START + line + "\n")).isNotEqualTo(HOLDER);
        }
    }

    @Nested
    @DisplayName("detects truncated lines")
    class Ends {
        @Test
        void a_last_line_without_a_line_feed_may_be_truncated() {
            assertThat(parse("pid=12\ntimestamp=34").timestampEnded()).isFalse();
            assertThat(parse("pid=12\ntimestamp=34").pidEnded()).isTrue();
            assertThat(parse("pid=12\ntimestamp=34\r").timestampEnded()).isFalse();
            assertThat(parse("timestamp=34\npid=12").pidEnded()).isFalse();
            assertThat(parse("timestamp=34\npid=12").timestampEnded()).isTrue();
        }

        @Test
        void a_last_line_may_be_truncated_even_if_an_earlier_one_with_its_key_was_complete() {
            assertThat(parse("pid=12\ntimestamp=3\ntimestamp=34").timestampEnded()).isFalse();
            assertThat(parse("timestamp=34\npid=1\npid=12").pidEnded()).isFalse();
        }

        @Test
        void lines_before_the_last_one_are_complete() {
            assertThat(parse("pid=12\ntimestamp=34\ntag=t").timestampEnded()).isTrue();
            assertThat(parse("pid=12\ntimestamp=34\ntag=t").pidEnded()).isTrue();
            assertThat(parse("pid=12\ntimestamp=34\n").timestampEnded()).isTrue();
        }
    }

    @Nested
    @DisplayName("recognizes unfinished files (debris)")
    class Debris {
        @Test
        void every_beginning_before_the_first_digit_of_the_timestamp_is_debris() {
            String whole = "pid=12345\ntimestamp=";
            for (int length = 0; length <= whole.length(); length++) {
                assertThat(content(whole.substring(0, length))).isEqualTo(LockFileContent.DEBRIS);
            }
        }

        @Test
        void
                every_beginning_with_a_carriage_return_before_the_first_digit_of_the_timestamp_is_debris() {
            String whole = "pid=12345\r\ntimestamp=";
            for (int length = 0; length <= whole.length(); length++) {
                assertThat(content(whole.substring(0, length))).isEqualTo(LockFileContent.DEBRIS);
            }
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "\n",
                    " ",
                    "\0",
                    "x",
                    "pix",
                    "pid=\n",
                    "pid=\r",
                    "pid=+",
                    "pid=+1\n",
                    "pid=-1",
                    "pid=1x",
                    "pid=1 \n",
                    "pid=1\r\r",
                    "pid=1\rt",
                    "pid=1\n\n",
                    "pid=1\n timestamp=",
                    "pid=1\ntag=",
                    "pid=1\ntimestamp =",
                    "pid=1\ntimestamp=\n",
                    "pid=1\ntimestamp=\r",
                    "pid=1\ntimestamp=x",
                    " pid=1\n",
                    "timestamp=",
                    "\ufeff",
                    "\ufeffpid=1\n"
                })
        void a_file_that_no_interrupted_write_can_leave_is_no_debris(String text) {
            assertThat(content(text)).isEqualTo(LockFileContent.FOREIGN);
        }

        @Test
        void a_file_longer_than_the_limit_is_no_debris() {
            assertThat(content("pid=" + "1".repeat(LockFile.READ_LIMIT)))
                    .isEqualTo(LockFileContent.FOREIGN);
            assertThat(content("pid=" + "1".repeat(LockFile.READ_LIMIT - 5) + "\n\0\0"))
                    .isEqualTo(LockFileContent.FOREIGN);
        }
    }

    @Nested
    @DisplayName("stops at the limit")
    class Limit {
        @Test
        void a_tag_at_the_limit_is_truncated() {
            String start = "pid=12\ntimestamp=34\ntag=";
            LockFile read = parse(start + "x".repeat(LockFile.READ_LIMIT));
            assertThat(read.holder())
                    .isEqualTo(holder(12, 34, "x".repeat(LockFile.READ_LIMIT - start.length())));
            assertThat(read.timestampEnded()).isTrue();
        }

        @Test
        void a_number_in_the_line_at_the_limit_is_ignored() {
            assertThat(content(upTo("pid=12\n", "timestamp=17035") + "20000\n"))
                    .isEqualTo(LockFileContent.FOREIGN);
            assertThat(content(upTo("timestamp=34\n", "pid=12") + "345\n"))
                    .isEqualTo(LockFileContent.FOREIGN);
        }

        @Test
        void the_line_at_the_limit_does_not_invalidate_a_number() {
            assertThat(read(upTo("pid=12\ntimestamp=34\n", "pid=7") + "7\n")).isEqualTo(HOLDER);
            assertThat(parse(upTo("pid=12\ntimestamp=34\n", "timestamp=7") + "7").timestampEnded())
                    .isTrue();
        }

        @Test
        void a_file_that_ends_at_the_limit_is_read_like_a_longer_one() {
            assertThat(content(upTo("pid=12\n", "timestamp=34")))
                    .isEqualTo(LockFileContent.FOREIGN);
            assertThat(read(upTo("pid=12\n", "timestamp=34\n"))).isEqualTo(HOLDER);
        }

        @Test
        void a_file_one_byte_shorter_than_the_limit_is_read_completely() {
            String text = upTo("pid=12\n", "xtimestamp=34").replace("\nx", "\n");
            assertThat(text).hasSize(LockFile.READ_LIMIT - 1);
            assertThat(read(text)).isEqualTo(HOLDER);
        }

        @Test
        void content_after_the_limit_is_ignored() {
            assertThat(read(upTo("pid=12\ntimestamp=34\n", "\n") + "pid=7\n")).isEqualTo(HOLDER);
        }

        @Test
        void the_limit_may_be_inside_a_character() {
            byte[] cut = bytes(upTo("pid=12\ntimestamp=34\n", "tag=x"));
            cut[cut.length - 1] = (byte) 0xc3;
            assertThat(parse(cut).holder()).isEqualTo(holder(12, 34, "\ufffd"));
        }

        /** A text of exactly the limit's length with this start and end. */
        private String upTo(String start, String end) {
            int between = LockFile.READ_LIMIT - start.length() - end.length() - 1;
            return start + "-".repeat(between) + "\n" + end;
        }
    }

    private static Holder holder(long pid, long timestamp, String tag) {
        return new Holder(pid, timestamp, tag, null, null, null, null);
    }

    private static Holder read(String text) {
        LockFile read = parse(text);
        assertThat(read.content()).isEqualTo(LockFileContent.VALID);
        return read.holder();
    }

    private static LockFileContent content(String text) {
        return parse(text).content();
    }

    private static LockFile parse(String text) {
        return parse(bytes(text));
    }

    private static LockFile parse(byte[] bytes) {
        return LockFile.parse(bytes, Instant.EPOCH);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
