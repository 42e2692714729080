package io.holdfast.server;

import java.security.MessageDigest;

/** A shared secret. It is compared in constant time and never printed. */
public final class Secret {
    private final byte[] bytes;

    public Secret(byte[] bytes) {
        this.bytes = bytes.clone();
        if (bytes.length == 0) {
            throw new ConfigException("the auth token is empty");
        }
        for (byte c : bytes) {
            if (c == '\n' || c == '\r') {
                throw new ConfigException("the auth token contains a line break");
            }
        }
    }

    public boolean matches(byte[] candidate) {
        return MessageDigest.isEqual(bytes, candidate);
    }

    @Override
    public String toString() {
        return "***";
    }
}
