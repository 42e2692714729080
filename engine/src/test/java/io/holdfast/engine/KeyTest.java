package io.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

@DisplayName("A key")
class KeyTest {
    @Test
    void a_key_equals_another_of_the_same_bytes_in_the_same_namespace() {
        Key one = key("printer");
        Key two = Key.of("printer");
        assertThat(one).isEqualTo(two).hasSameHashCodeAs(two).isEqualByComparingTo(two);
    }

    @Test
    void a_key_differs_from_one_in_another_namespace() {
        Key other = Key.of(new Namespace("tenant"), bytes("printer"));
        assertThat(other).isNotEqualTo(Key.of("printer"));
        assertThat(other.compareTo(Key.of("printer"))).isPositive();
    }

    @Test
    void a_key_compares_bytes_not_text() {
        Key invalid = Key.of(Namespace.DEFAULT, new byte[] {(byte) 0xC3, 0x28});
        Key alsoInvalid = Key.of(Namespace.DEFAULT, new byte[] {(byte) 0xE2, 0x28});
        assertThat(invalid).isNotEqualTo(alsoInvalid);
        assertThat(invalid.compareTo(alsoInvalid)).isNegative();
        assertThat(invalid.bytes()).containsExactly(0xC3, 0x28);
    }

    @Test
    void a_key_orders_bytes_without_sign_and_prefixes_first() {
        assertThat(key("\u00e9").compareTo(key("z"))).isPositive();
        assertThat(key("ab").compareTo(key("abc"))).isNegative();
    }

    @Test
    void a_key_with_a_hash_collision_is_found() {
        // "Aa" and "BB" have one hash, and so have all strings of them.
        Map<Key, Integer> map = new HashMap<>();
        for (int i = 0; i < 4096; i++) {
            map.put(key(collision(i)), i);
        }
        assertThat(map).hasSize(4096);
        assertThat(key(collision(1))).hasSameHashCodeAs(key(collision(4095)));
        for (int i = 0; i < 4096; i++) {
            assertThat(map).containsEntry(key(collision(i)), i);
        }
    }

    @Test
    void a_key_prints_as_its_text_behind_its_namespace() {
        assertThat(key("printer")).hasToString("printer");
        assertThat(Key.of(new Namespace("tenant"), bytes("printer"))).hasToString("tenant/printer");
    }

    private static String collision(int bits) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 12; i++) {
            text.append((bits >> i & 1) == 0 ? "Aa" : "BB");
        }
        return text.toString();
    }

    private static Key key(String text) {
        return Key.of(Namespace.DEFAULT, bytes(text));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
