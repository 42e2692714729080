package io.holdfast.client.lockd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;

@DisplayName("A name")
class LockdNameTextTest {
    @Test
    void loses_blanks_at_its_ends_and_keeps_one_of_each_run() {
        assertThat(LockdClient.normalize(" \t two \u3000\u00a0 words\u2028"))
                .isEqualTo("two words");
        assertThat(LockdClient.normalize(" \u000b\f ")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                0x09, 0x0B, 0x0C, 0x20, 0x85, 0xA0, 0x1680, 0x2000, 0x2007, 0x200A, 0x2028, 0x2029,
                0x202F, 0x205F, 0x3000
            })
    void counts_this_as_a_blank(int point) {
        assertThat(LockdClient.normalize("a" + Character.toString(point) + "b")).isEqualTo("a b");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 0x1C, 0x1D, 0x1E, 0x1F, 0x180E, 0x200B, 0xFEFF, 0x1F512, 0xDC85})
    void counts_this_as_no_blank(int point) {
        String name = Character.toString(point);
        assertThat(LockdClient.normalize(name)).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\nb", "a\rb", "a\n", "\ra", "\r\n"})
    void with_a_line_break_is_refused(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockdClient.normalize(name))
                .withMessage("A name must not contain CR or LF.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\ud800", "a\udc00", "\udd00b", "\udc7f"})
    void that_is_no_text_is_refused(String name) {
        assertThatIllegalArgumentException().isThrownBy(() -> LockdClient.normalize(name));
    }

    @Test
    void of_any_bytes_comes_back_as_the_same_bytes() {
        var random = new Random(20260101);
        for (int i = 0; i < 2000; i++) {
            byte[] bytes = new byte[random.nextInt(12)];
            random.nextBytes(bytes);
            if (i % 3 == 0) { // nearly valid
                byte[] valid = "\u00fc\u20ac\ud83d\udd12".getBytes(StandardCharsets.UTF_8);
                bytes = Arrays.copyOfRange(valid, random.nextInt(4), 4 + random.nextInt(6));
            }
            assertThat(LockdNameText.encode(LockdNameText.decode(bytes))).isEqualTo(bytes);
        }
    }

    @Test
    void of_invalid_bytes_shows_each_of_them() {
        assertThat(LockdNameText.decode(new byte[] {'a', (byte) 0xFF, 'b'})).isEqualTo("a\udcffb");
        assertThat(LockdNameText.decode(new byte[] {(byte) 0xFF}))
                .isNotEqualTo(LockdNameText.decode(new byte[] {(byte) 0xFE}));
    }

    @Test
    void spelled_in_escaped_bytes_is_the_name_they_spell() {
        assertThat(LockdClient.normalize("gr\udcc3\udcbcn")).isEqualTo("gr\u00fcn");
        assertThat(LockdClient.normalize("a\udcc2\udca0b")).isEqualTo("a b");
    }
}
