package io.holdfast.server.socketlock;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.protocol.socketlock.SocketlockRequest;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.Locale;

/** Builds the log line of an event, field by field; fields that are not set are omitted. */
final class SocketlockLogLine {
    /**
     * Maximum number of bytes shown of an id, which may be as long as a protocol line: logging must
     * be quick.
     */
    private static final int MAX_BYTES = 200;

    private final StringBuilder line;

    private SocketlockLogLine(String type, ByteString client) {
        line = new StringBuilder(type);
        append("client", shown(client));
    }

    static SocketlockLogLine of(String type, ByteString client) {
        return new SocketlockLogLine(type, client);
    }

    SocketlockLogLine lock(@Nullable ByteString lock) {
        return lock == null ? this : append("lock", shown(lock));
    }

    SocketlockLogLine mode(@Nullable ReadWriteMode readWriteMode) {
        return readWriteMode == null
                ? this
                : append("mode", readWriteMode.name().toLowerCase(Locale.ROOT));
    }

    SocketlockLogLine ttl(long seconds) {
        return seconds == SocketlockRequest.NO_SECONDS ? this : append("ttl", duration(seconds));
    }

    /** Must be the last field: it may contain spaces. */
    SocketlockLogLine reason(String text) {
        return append("reason", text);
    }

    private SocketlockLogLine append(String name, String value) {
        line.append(' ').append(name).append('=').append(value);
        return this;
    }

    /** Escapes an id, which a client chooses: it must not look like another line or field. */
    static String shown(ByteString id) {
        boolean isLong = id.length() > MAX_BYTES;
        ByteString start = isLong ? ByteString.of(Arrays.copyOf(id.bytes(), MAX_BYTES)) : id;
        StringBuilder text = new StringBuilder(start.length());
        start.toString()
                .chars()
                .forEach(
                        c -> {
                            if (c <= ' ' || c == '\\' || Character.isISOControl(c)) {
                                text.append(String.format("\\x%02x", c));
                            } else {
                                text.append((char) c);
                            }
                        });
        return isLong ? text.append("...").toString() : text.toString();
    }

    /** Such as 1h0m30s. */
    private static String duration(long seconds) {
        long hours = seconds / 3600;
        long minutes = seconds / 60 % 60;
        String rest = seconds % 60 + "s";
        if (hours > 0) {
            return hours + "h" + minutes + "m" + rest;
        }
        return minutes > 0 ? minutes + "m" + rest : rest;
    }

    @Override
    public String toString() {
        return line.toString();
    }
}
