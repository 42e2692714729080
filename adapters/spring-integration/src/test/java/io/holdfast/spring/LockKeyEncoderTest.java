package io.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;

@DisplayName("Keys of the server")
class LockKeyEncoderTest {
    private final LockKeyEncoder keys = new LockKeyEncoder("spring:");

    @Test
    void a_key_is_the_prefix_and_the_name() {
        assertThat(keys.of("orders/17")).isEqualTo("spring:orders/17");
        assertThat(keys.of("Größe")).isEqualTo("spring:Größe");
    }

    @Test
    void blanks_and_line_breaks_of_a_name_are_escaped() {
        assertThat(keys.of("My Files\r\n\t%")).isEqualTo("spring:My%20Files%0d%0a%09%25");
    }

    @Test
    void different_names_have_different_keys() {
        assertThat(keys.of("a b")).isNotEqualTo(keys.of("a%20b"));
        assertThat(keys.of("ä".repeat(300) + "1")).isNotEqualTo(keys.of("ä".repeat(300) + "2"));
    }

    @Test
    void keys_are_never_longer_than_the_limit() {
        for (int length = 1; length < 400; length++) {
            String key = keys.of("x" + "ä€".repeat(length));
            assertThat(key.getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(256);
            assertThat(key).doesNotContain("\ufffd");
        }
        assertThat(keys.of("y".repeat(249))).isEqualTo("spring:" + "y".repeat(249));
        assertThat(keys.of("y".repeat(250))).hasSize(128 + 2 + 64);
    }

    @Test
    void a_name_must_be_a_string_that_is_not_empty() {
        assertThatThrownBy(() -> keys.of(17))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Integer");
        assertThatThrownBy(() -> keys.of("")).isInstanceOf(IllegalArgumentException.class);
    }
}
