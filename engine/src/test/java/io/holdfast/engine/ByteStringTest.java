package io.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A byte string")
class ByteStringTest {
    @Test
    void a_byte_string_equals_another_of_the_same_bytes() {
        ByteString one = ByteString.of(new byte[] {1, -1, 0});
        ByteString two = ByteString.of(new byte[] {1, -1, 0});
        assertThat(one).isEqualTo(two).hasSameHashCodeAs(two).isEqualByComparingTo(two);
        assertThat(one).isNotEqualTo(ByteString.of(new byte[] {1, -1}));
        assertThat(one).isNotEqualTo(ByteString.of(new byte[] {1, -1, 1}));
    }

    @Test
    void byte_strings_that_decode_to_the_same_text_are_not_equal() {
        ByteString invalid = ByteString.of(new byte[] {(byte) 0xC3});
        ByteString alsoInvalid = ByteString.of(new byte[] {(byte) 0xE2});
        assertThat(invalid.toString()).isEqualTo(alsoInvalid.toString());
        assertThat(invalid).isNotEqualTo(alsoInvalid);
    }

    @Test
    void a_byte_string_orders_bytes_without_sign_and_prefixes_first() {
        ByteString high = ByteString.of(new byte[] {(byte) 0x80});
        ByteString low = ByteString.of(new byte[] {0x7f});
        assertThat(high).isGreaterThan(low);
        assertThat(ByteString.of("ab")).isLessThan(ByteString.of("abc"));
        assertThat(ByteString.EMPTY).isLessThan(ByteString.of("a"));
    }

    @Test
    void a_byte_string_is_text_in_utf8() {
        ByteString text = ByteString.of("gr\u00fcn");
        assertThat(text.bytes()).containsExactly('g', 'r', 0xC3, 0xBC, 'n');
        assertThat(text.length()).isEqualTo(5);
        assertThat(text).hasToString("gr\u00fcn");
    }

    @Test
    void a_byte_string_of_no_bytes_is_the_empty_one() {
        assertThat(ByteString.of("")).isSameAs(ByteString.EMPTY);
        assertThat(ByteString.of(new byte[0])).isSameAs(ByteString.EMPTY);
        assertThat(ByteString.EMPTY.isEmpty()).isTrue();
        assertThat(ByteString.of(" ").isEmpty()).isFalse();
    }
}
