package io.holdfast.protocol.socketlock;

import io.holdfast.engine.ByteString;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;

/** Requests as text for tests: each byte is a character. */
final class SocketlockText {
    private SocketlockText() {}

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    static ByteString string(String text) {
        return ByteString.of(bytes(text));
    }

    private static String text(@Nullable ByteString string) {
        return string == null ? "-" : new String(string.bytes(), StandardCharsets.ISO_8859_1);
    }

    static String describe(SocketlockDecoderResult input) {
        return switch (input) {
            case SocketlockDecoderResult.Line(var request) -> describe(request);
            case SocketlockDecoderResult.TooLong() -> "too long";
        };
    }

    static String describe(SocketlockRequest request) {
        return switch (request) {
            case SocketlockRequest.Ignored() -> "nothing";
            case SocketlockRequest.Hello() -> "hello";
            case SocketlockRequest.Greeting(var client) -> text(client) + "|hello";
            case SocketlockRequest.RequestLock(
                            var client,
                            var readWriteMode,
                            var first,
                            var second) ->
                    text(client) + "|ask " + readWriteMode + "|" + text(first) + "|" + text(second);
            case SocketlockRequest.Confirm(var client, var lock) ->
                    text(client) + "|confirm|" + text(lock);
            case SocketlockRequest.Reject(var client, var lock) ->
                    text(client) + "|reject|" + text(lock);
            case SocketlockRequest.Release(var client, var lock) ->
                    text(client) + "|release|" + text(lock);
            case SocketlockRequest.Status(var client, var lock) ->
                    text(client) + "|status|" + text(lock);
            case SocketlockRequest.Ping(var client) -> text(client) + "|ping";
            case SocketlockRequest.Eol(var client) -> text(client) + "|eol";
            case SocketlockRequest.Epoch(var client) -> text(client) + "|epoch";
            case SocketlockRequest.IdentifyProcess(var client, var process) ->
                    text(client) + "|process|" + text(process);
            case SocketlockRequest.Reassert(
                            var client,
                            var lock,
                            var readWriteMode,
                            var epoch,
                            var seconds) ->
                    text(client)
                            + "|reassert|"
                            + text(lock)
                            + "|"
                            + readWriteMode
                            + "|"
                            + epoch
                            + "|"
                            + seconds;
            case SocketlockRequest.ReassertionsDone(var client) -> text(client) + "|settled";
            case SocketlockRequest.Token(var client, var lock) ->
                    text(client) + "|token|" + text(lock);
        };
    }

    static String describe(SocketlockSyntax.RequestArguments requestArguments) {
        return switch (requestArguments) {
            case SocketlockSyntax.RequestArguments.Lock(var lock, var seconds) ->
                    text(lock) + " " + seconds;
            case SocketlockSyntax.RequestArguments.InvalidTtl() -> "invalid ttl";
        };
    }
}
