package io.holdfast.lockfile;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;

@DisplayName("The writer of a lock file")
class LockFileWriterTest {
    private static final String LOCK = "\ud83d\udd12";

    @Test
    void each_field_has_its_own_line_in_a_fixed_order() {
        assertThat(written(new Holder(12, 34, "a=b", "0f", 5L, "box", 6L)))
                .isEqualTo(
                        """
                        pid=12
                        timestamp=0000000034
                        tag=a=b
                        nonce=0f
                        start=5
                        host=box
                        acquired=6
                        """);
    }

    @Test
    void absent_fields_of_a_lock_file_are_left_out() {
        assertThat(written(new Holder(12, 34, null, null, null, null, null)))
                .isEqualTo("pid=12\ntimestamp=0000000034\n");
    }

    @Test
    void an_empty_tag_is_written() {
        assertThat(written(new Holder(12, 34, "", null, null, null, null)))
                .isEqualTo("pid=12\ntimestamp=0000000034\ntag=\n");
    }

    @Test
    void no_field_of_a_lock_file_can_contain_a_line_break() {
        assertThat(written(new Holder(12, 34, "a\npid=1", "b\rc", null, "d\r\npid=2", null)))
                .isEqualTo("pid=12\ntimestamp=0000000034\ntag=a pid=1\nnonce=b c\nhost=d  pid=2\n");
    }

    @Test
    void a_lock_file_is_written_in_utf_8() {
        assertThat(LockFile.write(new Holder(1, 2, "\u00e9" + LOCK, null, null, null, null)))
                .endsWith(0xc3, 0xa9, 0xf0, 0x9f, 0x94, 0x92, '\n');
    }

    @Test
    void each_control_character_of_a_tag_becomes_a_space() {
        for (char control = 0; control < ' '; control++) {
            assertThat(LockFile.tag("a" + control + "b", 3)).isEqualTo("a b");
        }
        assertThat(LockFile.tag("a\r\n\0b", 10)).isEqualTo("a   b");
    }

    @ParameterizedTest
    @ValueSource(chars = {'\u007f', '\u0085', '\u2028', '\u2029'})
    void each_unicode_line_end_in_a_tag_becomes_a_space(char end) {
        assertThat(LockFile.tag("a" + end + "b", 3)).isEqualTo("a b");
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "~", "=", "\u0080", "\u00a0", "\u2027", "\u202a", "\ufeff", LOCK})
    void every_other_character_of_a_tag_is_kept(String other) {
        assertThat(LockFile.tag("a" + other + "b", 4)).isEqualTo("a" + other + "b");
    }

    @Test
    void a_tag_that_is_too_long_is_truncated() {
        assertThat(LockFile.tag("abc", 3)).isEqualTo("abc");
        assertThat(LockFile.tag("abcd", 3)).isEqualTo("abc");
        assertThat(LockFile.tag("abc", 0)).isEmpty();
    }

    @Test
    void truncation_does_not_split_a_surrogate_pair() {
        assertThat(LockFile.tag("a" + LOCK + "b", 2)).isEqualTo("a");
        assertThat(LockFile.tag("a" + LOCK + "b", 3)).isEqualTo("a" + LOCK);
        assertThat(LockFile.tag(LOCK, 1)).isEmpty();
    }

    @Test
    void an_unpaired_surrogate_is_replaced() {
        assertThat(LockFile.tag("a\ud83d", 10)).isEqualTo("a\ufffd");
        assertThat(LockFile.tag("\udd12\ud83d", 10)).isEqualTo("\ufffd\ufffd");
        assertThat(written(new Holder(1, 2, "\ud83d", null, null, null, null)))
                .endsWith("tag=\ufffd\n");
    }

    private static String written(Holder holder) {
        return new String(LockFile.write(holder), StandardCharsets.UTF_8);
    }
}
