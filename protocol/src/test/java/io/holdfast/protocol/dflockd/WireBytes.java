package io.holdfast.protocol.dflockd;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Converts between bytes and text for the tests of this package. */
final class WireBytes {
    private WireBytes() {}

    /** One byte for each character up to U+00FF, so that a test can write any byte. */
    static byte[] raw(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static Key key(String text) {
        return Key.of(text);
    }

    static long seconds(long value) {
        return value * 1_000_000_000L;
    }

    /** The one request of these three lines, as UTF-8. Nothing may be left over. */
    static DflockdRequest request(String command, String key, String argument) {
        return request(utf8(command + "\n" + key + "\n" + argument + "\n"));
    }

    /** The one request of these bytes. */
    static DflockdRequest request(byte[] bytes) {
        List<DflockdDecoderResult> inputs = decode(bytes);
        assertThat(inputs).hasSize(1).first().isInstanceOf(DflockdDecoderResult.Request.class);
        return ((DflockdDecoderResult.Request) inputs.getFirst()).request();
    }

    /** All inputs that a new decoder finds in these bytes, which must be used up. */
    static List<DflockdDecoderResult> decode(byte[] bytes) {
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        List<DflockdDecoderResult> found = drain(new DflockdDecoder(Namespace.DEFAULT), in);
        assertThat(in.readableBytes()).as("bytes left over").isZero();
        return found;
    }

    /** All inputs until the decoder needs more bytes, or up to an HTTP request. */
    static List<DflockdDecoderResult> drain(DflockdDecoder decoder, ByteBuf in) {
        List<DflockdDecoderResult> found = new ArrayList<>();
        for (DflockdDecoderResult next = decoder.decode(in);
                next != null;
                next = decoder.decode(in)) {
            found.add(next);
            if (next instanceof DflockdDecoderResult.LooksLikeHttp) {
                break; // the end of the conversation
            }
        }
        return found;
    }

    /** Text that is equal for equal inputs: a secret is an array, which compares by identity. */
    static String describe(DflockdDecoderResult input) {
        return switch (input) {
            case DflockdDecoderResult.Request(DflockdRequest.Auth(byte[] secret)) ->
                    "auth " + HexFormat.of().formatHex(secret);
            case DflockdDecoderResult.Request(
                            DflockdRequest.Release(var resourceKind, var key, var token)) ->
                    "release "
                            + resourceKind
                            + " "
                            + hex(key)
                            + " "
                            + token.fence()
                            + " "
                            + token.salt();
            case DflockdDecoderResult.Request(
                            DflockdRequest.Renew(
                                    var resourceKind,
                                    var key,
                                    var token,
                                    var lease)) ->
                    "renew %s %s %d %d %d"
                            .formatted(resourceKind, hex(key), token.fence(), token.salt(), lease);
            case DflockdDecoderResult.Request(
                            DflockdRequest.Acquire(
                                    var resourceKind,
                                    var key,
                                    var limit,
                                    var wait,
                                    var lease,
                                    var holdAttributes)) ->
                    "acquire %s %s %d %d %d %s"
                            .formatted(resourceKind, hex(key), limit, wait, lease, holdAttributes);
            case DflockdDecoderResult.Request(
                            DflockdRequest.Enqueue(
                                    var resourceKind,
                                    var key,
                                    var limit,
                                    var lease)) ->
                    "enqueue %s %s %d %d".formatted(resourceKind, hex(key), limit, lease);
            case DflockdDecoderResult.Request(
                            DflockdRequest.Await(var resourceKind, var key, var wait)) ->
                    "await %s %s %d".formatted(resourceKind, hex(key), wait);
            case DflockdDecoderResult.Request(DflockdRequest.Data(var key, var operation)) ->
                    hex(key) + " " + describe(operation);
            case DflockdDecoderResult.Request(DflockdRequest.Listen(var pattern, var group)) ->
                    "listen " + hex(pattern) + " " + hex(group);
            case DflockdDecoderResult.Request(DflockdRequest.Unlisten(var pattern, var group)) ->
                    "unlisten " + hex(pattern) + " " + hex(group);
            case DflockdDecoderResult.Request(DflockdRequest.Signal(var channel, var payload)) ->
                    "signal " + hex(channel) + " " + hex(payload);
            case DflockdDecoderResult.Request(var other) -> other.toString();
            case DflockdDecoderResult.Tagged(var tag, var request) ->
                    tag + " " + describe(new DflockdDecoderResult.Request(request));
            case DflockdDecoderResult.LineTooLong tooLong -> tooLong.toString();
            case DflockdDecoderResult.LooksLikeHttp http -> http.toString();
        };
    }

    static List<String> describe(List<DflockdDecoderResult> inputs) {
        return inputs.stream().map(WireBytes::describe).toList();
    }

    private static String describe(DataOperation operation) {
        return switch (operation) {
            case DataOperation.SetValue(var value, var ttl) -> "set " + hex(value) + " " + ttl;
            case DataOperation.Push(var end, var item) -> "push " + end + " " + hex(item);
            default -> operation.toString(); // has numbers only
        };
    }

    private static String hex(ByteString bytes) {
        return HexFormat.of().formatHex(bytes.bytes());
    }

    private static String hex(Key key) {
        return HexFormat.of().formatHex(key.bytes());
    }
}
