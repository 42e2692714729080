package io.holdfast.http.inspect;

import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.Driver;
import io.holdfast.driver.monitor.ServerMonitor;
import io.holdfast.engine.Command;
import io.holdfast.engine.Key;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;
import io.holdfast.http.web.JsonWriter;
import io.holdfast.http.web.PercentEncoding;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Conversion of values to JSON fields of responses. */
public final class JsonFormat {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    private JsonFormat() {}

    /** Adds a key with its namespace. */
    public static JsonObject putKey(JsonObject to, Key key) {
        to.put("namespace", key.namespace().name());
        return putText(to, "key", key.bytes());
    }

    /** Adds bytes as text and, if they are not valid UTF-8, percent-encoded in a second field. */
    public static JsonObject putText(JsonObject to, String name, byte[] bytes) {
        to.put(name, text(bytes));
        if (!isText(bytes)) {
            to.put(name + "_encoded", PercentEncoding.encode(bytes));
        }
        return to;
    }

    /** Adds the client of a session: empty strings if the session has ended. */
    static JsonObject putClient(JsonObject to, long session, ServerMonitor serverMonitor) {
        return putClient(to, session, serverMonitor.peerOf(session));
    }

    static JsonObject putClient(JsonObject to, long session, @Nullable ClientInfo clientInfo) {
        return to.put("connection", session)
                .put("name", clientInfo == null ? "" : clientInfo.name().get())
                .put("protocol", clientInfo == null ? "" : clientInfo.protocol());
    }

    /** Decodes UTF-8; each byte that is not part of a valid sequence becomes U+FFFD. */
    public static String text(byte[] bytes) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(bytes.length);
        CoderResult result = decoder.decode(in, out, true);
        while (result.isError()) {
            for (int i = 0; i < result.length(); i++) {
                out.put('\ufffd');
            }
            in.position(in.position() + result.length());
            result = decoder.decode(in, out, true);
        }
        return out.flip().toString();
    }

    public static boolean isText(byte[] bytes) {
        return !StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(bytes), CharBuffer.allocate(bytes.length), true)
                .isError();
    }

    public static String label(ResourceKind resourceKind) {
        return switch (resourceKind) {
            case LOCK -> "lock";
            case SEMAPHORE -> "semaphore";
            case SHARED -> "shared";
        };
    }

    public static String label(KeyEvent.Type type) {
        return type.name().toLowerCase(Locale.ROOT);
    }

    public static String label(ReadWriteMode readWriteMode) {
        return readWriteMode.name().toLowerCase(Locale.ROOT);
    }

    /** A remaining time in seconds, not negative; null if there is no limit. */
    static @Nullable BigDecimal remaining(long nanos) {
        return nanos == Command.FOREVER ? null : JsonWriter.seconds(Math.max(nanos, 0));
    }

    /** How long acquires still wait after a crash, in seconds; null if they do not. */
    public static @Nullable BigDecimal quarantine(Driver driver) {
        long left = driver.quarantineLeftNanos();
        return left == 0 ? null : JsonWriter.seconds(left);
    }

    static @Nullable String fence(long fence) {
        return fence == 0 ? null : Long.toString(fence);
    }

    /** The maximum number of holders; null for shared locks, which have none. */
    static @Nullable Long limit(ResourceKind resourceKind, long limit) {
        return resourceKind == ResourceKind.SHARED ? null : limit;
    }

    /** UTC, to the millisecond. */
    public static String time(Instant instant) {
        return TIME.format(instant);
    }
}
