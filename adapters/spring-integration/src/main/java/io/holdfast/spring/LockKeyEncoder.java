package io.holdfast.spring;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Encodes lock names that Spring chooses (file paths, for example) as keys of the server. Different
 * names get different keys.
 */
final class LockKeyEncoder {
    private static final int MAX_BYTES = 256;

    /** How much of a name that is too long remains before its hash of 64 bytes. */
    private static final int KEPT_PREFIX_BYTES = 128;

    private final String prefix;

    LockKeyEncoder(String prefix) {
        this.prefix = prefix;
    }

    String of(Object name) {
        if (!(name instanceof String text)) {
            throw new IllegalArgumentException(
                    "the name of a lock must be a String and is a " + name.getClass().getName());
        }
        if (text.isEmpty()) {
            throw new IllegalArgumentException("the name of a lock must not be empty");
        }
        String key = prefix + escaped(text);
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        return bytes.length <= MAX_BYTES ? key : shortened(bytes);
    }

    private static String escaped(String name) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c <= ' ' || c == '%' || c == 0x7f) {
                text.append('%').append(HexFormat.of().toHexDigits((byte) c));
            } else {
                text.append(c);
            }
        }
        return text.toString();
    }

    /**
     * The first bytes, up to a whole character, then {@code %-} (which no escape produces) and the
     * hash.
     */
    private static String shortened(byte[] key) {
        int end = KEPT_PREFIX_BYTES;
        while ((key[end] & 0xc0) == 0x80) {
            end--;
        }
        return new String(key, 0, end, StandardCharsets.UTF_8)
                + "%-"
                + HexFormat.of().formatHex(sha256(key));
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return "keys " + prefix + "…";
    }
}
