package io.holdfast.http.web;

import io.holdfast.protocol.json.JsonText;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Writes JSON as dflockd's line protocol does, escaped so that it is safe inside HTML. */
public final class JsonWriter {
    private JsonWriter() {}

    /** The body of a response: the object and a line feed. */
    public static Buffer toLine(JsonObject object) {
        ByteBuf out = Unpooled.buffer(256);
        write(object, out);
        out.writeByte('\n');
        return BufferInternal.buffer(out);
    }

    /** A duration in seconds, truncated to milliseconds. */
    public static BigDecimal seconds(long nanos) {
        return BigDecimal.valueOf(nanos / 1_000_000, 3);
    }

    public static void write(@Nullable Object value, ByteBuf out) {
        switch (value) {
            case null -> ByteBufUtil.writeAscii(out, "null");
            case String text -> JsonText.write(text.getBytes(StandardCharsets.UTF_8), out);
            case BigDecimal number -> ByteBufUtil.writeAscii(out, number.toPlainString());
            case Double number when number.isNaN() || number.isInfinite() ->
                    ByteBufUtil.writeAscii(out, "null");
            case Number number -> ByteBufUtil.writeAscii(out, number.toString());
            case Boolean truth -> ByteBufUtil.writeAscii(out, truth.toString());
            case JsonObject object -> writeFields(object, out);
            case JsonArray array -> writeItems(array, out);
            default -> throw new IllegalArgumentException("not JSON: " + value.getClass());
        }
    }

    private static void writeFields(JsonObject object, ByteBuf out) {
        out.writeByte('{');
        boolean first = true;
        for (Map.Entry<String, Object> field : object) {
            if (!first) {
                out.writeByte(',');
            }
            first = false;
            write(field.getKey(), out);
            out.writeByte(':');
            write(field.getValue(), out);
        }
        out.writeByte('}');
    }

    private static void writeItems(JsonArray array, ByteBuf out) {
        out.writeByte('[');
        boolean first = true;
        for (Object item : array) {
            if (!first) {
                out.writeByte(',');
            }
            first = false;
            write(item, out);
        }
        out.writeByte(']');
    }
}
