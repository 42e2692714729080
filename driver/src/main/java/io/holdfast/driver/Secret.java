package io.holdfast.driver;

import java.security.MessageDigest;

/** A shared secret. It is compared in constant time and never printed. */
public final class Secret {
    private final byte[] bytes;

    public Secret(byte[] bytes) {
        this.bytes = bytes.clone();
        if (bytes.length == 0) {
            throw new IllegalArgumentException("a secret must not be empty");
        }
        for (byte c : bytes) {
            if (c == '\n' || c == '\r') {
                throw new IllegalArgumentException("a secret must not contain a line break");
            }
        }
    }

    public boolean matches(byte[] candidate) {
        return MessageDigest.isEqual(bytes, candidate);
    }

    public boolean isSame(Secret other) {
        return matches(other.bytes);
    }

    @Override
    public String toString() {
        return "***";
    }
}
