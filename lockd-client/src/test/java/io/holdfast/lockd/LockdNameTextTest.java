package io.holdfast.lockd;

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
    void whitespace_is_removed_at_both_ends_and_collapsed_inside() {
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
    void a_whitespace_character_in_a_name_becomes_a_space(int point) {
        assertThat(LockdClient.normalize("a" + Character.toString(point) + "b")).isEqualTo("a b");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 0x1C, 0x1D, 0x1E, 0x1F, 0x180E, 0x200B, 0xFEFF, 0x1F512, 0xDC85})
    void a_character_that_is_not_whitespace_stays_in_a_name(int point) {
        String name = Character.toString(point);
        assertThat(LockdClient.normalize(name)).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\nb", "a\rb", "a\n", "\ra", "\r\n"})
    void a_name_with_a_line_break_is_refused(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockdClient.normalize(name))
                .withMessage("A name must not contain CR or LF.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\ud800", "a\udc00", "\udd00b", "\udc7f"})
    void a_name_with_an_unpaired_surrogate_is_refused(String name) {
        assertThatIllegalArgumentException().isThrownBy(() -> LockdClient.normalize(name));
    }

    @Test
    void any_bytes_are_decoded_and_encoded_back_unchanged() {
        var random = new Random(20260101);
        for (int i = 0; i < 2000; i++) {
            byte[] bytes = new byte[random.nextInt(12)];
            random.nextBytes(bytes);
            if (i % 3 == 0) { // almost valid UTF-8
                byte[] valid = "\u00fc\u20ac\ud83d\udd12".getBytes(StandardCharsets.UTF_8);
                bytes = Arrays.copyOfRange(valid, random.nextInt(4), 4 + random.nextInt(6));
            }
            assertThat(LockdNameText.encode(LockdNameText.decode(bytes))).isEqualTo(bytes);
        }
    }

    @Test
    void each_invalid_byte_is_escaped() {
        assertThat(LockdNameText.decode(new byte[] {'a', (byte) 0xFF, 'b'})).isEqualTo("a\udcffb");
        assertThat(LockdNameText.decode(new byte[] {(byte) 0xFF}))
                .isNotEqualTo(LockdNameText.decode(new byte[] {(byte) 0xFE}));
    }

    @Test
    void escaped_bytes_that_form_a_character_are_normalized_to_it() {
        assertThat(LockdClient.normalize("gr\udcc3\udcbcn")).isEqualTo("gr\u00fcn");
        assertThat(LockdClient.normalize("a\udcc2\udca0b")).isEqualTo("a b");
    }
}
