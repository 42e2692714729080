package io.holdfast.protocol.dflockd;

import static io.holdfast.protocol.dflockd.DflockdRequest.DEFAULT_LEASE;

import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.UnaryOperator;

/**
 * Writes requests as a client would.
 *
 * @param number writes a number
 * @param blanks the whitespace between two fields; for empty text, the whitespace at the ends
 * @param end the line end
 */
record RequestWriter(LongFunction<String> number, UnaryOperator<String> blanks, String end) {
    private static final int LONGEST_LINE = 256;

    /** Writes the shortest form. */
    static RequestWriter plain() {
        return new RequestWriter(Long::toString, between -> between, "\n");
    }

    byte[] write(DflockdRequest request) {
        return switch (request) {
            case DflockdRequest.Acquire(
                            var resourceKind,
                            var key,
                            var limit,
                            var wait,
                            var lease,
                            var _) ->
                    keyed(
                            resourceKind,
                            "l",
                            key,
                            fields(seconds(wait), limit(resourceKind, limit), lease(lease)));
            case DflockdRequest.Enqueue(var resourceKind, var key, var limit, var lease) ->
                    keyed(resourceKind, "e", key, fields(limit(resourceKind, limit), lease(lease)));
            case DflockdRequest.Await(var resourceKind, var key, var wait) ->
                    keyed(resourceKind, "w", key, fields(seconds(wait)));
            case DflockdRequest.Release(var resourceKind, var key, var token) ->
                    keyed(resourceKind, "r", key, fields(token(token)));
            case DflockdRequest.Renew(var resourceKind, var key, var token, var lease) ->
                    keyed(resourceKind, "n", key, fields(token(token), lease(lease)));
            case DflockdRequest.Data(var key, var operation) -> data(key, operation);
            case DflockdRequest.Listen(var pattern, var group) ->
                    lines("listen", pattern.bytes(), between(group.bytes()));
            case DflockdRequest.Unlisten(var pattern, var group) ->
                    lines("unlisten", pattern.bytes(), between(group.bytes()));
            case DflockdRequest.Signal(var channel, var payload) ->
                    lines("signal", channel.bytes(), payload.bytes());
            case DflockdRequest.Ping() -> lines("ping", new byte[0], new byte[0]);
            case DflockdRequest.Stats() -> lines("stats", new byte[0], new byte[0]);
            case DflockdRequest.Auth(byte[] secret) -> lines("auth", new byte[0], secret);
            case DflockdRequest.Hello(var grace, var label, var resume) ->
                    lines("hello", new byte[0], WireBytes.utf8(hello(grace, label, resume)));
            case DflockdRequest.Cancel(var tag) -> tagged("cancel", tag);
            case DflockdRequest.Mine(var after) -> tagged("mine", after);
            case DflockdRequest.Describe(var key) -> bare("info", key);
            case DflockdRequest.Bye() -> lines("bye", new byte[0], new byte[0]);
            case DflockdRequest.Malformed() -> lines("", new byte[0], new byte[0]);
        };
    }

    private byte[] tagged(String command, long argument) {
        return lines(command, WireBytes.utf8("_"), WireBytes.utf8(number.apply(argument)));
    }

    private static String hello(long grace, String label, DflockdRequest.@Nullable Resume resume) {
        return "1 grace="
                + (grace % 1_000_000_000 == 0 ? grace / 1_000_000_000 : grace / 1_000_000 + "ms")
                + (label.isEmpty() ? "" : " label=" + label)
                + (resume == null
                        ? ""
                        : " resume="
                                + resume.session()
                                + ":"
                                + new String(resume.secret(), StandardCharsets.ISO_8859_1));
    }

    private byte[] data(Key key, DataOperation operation) {
        return switch (operation) {
            case DataOperation.Increment(var delta) -> number("incr", key, delta);
            case DataOperation.Decrement(var delta) -> number("decr", key, delta);
            case DataOperation.SetCounter(var value) -> number("cset", key, value);
            case DataOperation.GetCounter() -> bare("get", key);
            case DataOperation.SetValue(var value, var ttl) ->
                    lines("kset", key.bytes(), value(value.bytes(), ttl));
            case DataOperation.GetValue() -> bare("kget", key);
            case DataOperation.DeleteValue() -> bare("kdel", key);
            case DataOperation.Push(var end, var item) ->
                    lines(side(end) + "push", key.bytes(), item.bytes());
            case DataOperation.Pop(var end) -> bare(side(end) + "pop", key);
            case DataOperation.Length() -> bare("llen", key);
            case DataOperation.Range(var first, var last) ->
                    lines(
                            "lrange",
                            key.bytes(),
                            WireBytes.utf8(fields(number.apply(first), number.apply(last))));
        };
    }

    /** The time to live is always written, unless it does not fit into the line. */
    private byte[] value(byte[] value, long ttl) {
        String seconds = ttl == Command.FOREVER ? number.apply(0) : seconds(ttl);
        var argument = new ByteArrayOutputStream();
        argument.writeBytes(value);
        argument.writeBytes(WireBytes.utf8(" " + seconds));
        boolean fits = argument.size() + end.length() - 1 <= LONGEST_LINE;
        return fits || ttl != Command.FOREVER ? argument.toByteArray() : value;
    }

    /** A command that ignores its argument. */
    private byte[] bare(String command, Key key) {
        return lines(command, key.bytes(), WireBytes.utf8(blanks.apply("")));
    }

    private byte[] between(byte[] bytes) {
        var argument = new ByteArrayOutputStream();
        argument.writeBytes(WireBytes.utf8(blanks.apply("")));
        argument.writeBytes(bytes);
        argument.writeBytes(WireBytes.utf8(blanks.apply("")));
        return argument.toByteArray();
    }

    private byte[] number(String command, Key key, long value) {
        return lines(command, key.bytes(), WireBytes.utf8(fields(number.apply(value))));
    }

    private static String side(DataOperation.End end) {
        return end == DataOperation.End.FRONT ? "l" : "r";
    }

    private byte[] keyed(ResourceKind resourceKind, String letter, Key key, String argument) {
        String command = resourceKind == ResourceKind.SEMAPHORE ? "s" + letter : letter;
        return lines(command, key.bytes(), WireBytes.utf8(argument));
    }

    private byte[] lines(String command, byte[] key, byte[] argument) {
        var out = new ByteArrayOutputStream();
        out.writeBytes(WireBytes.utf8(command + end));
        out.writeBytes(key);
        out.writeBytes(WireBytes.utf8(end));
        out.writeBytes(argument);
        out.writeBytes(WireBytes.utf8(end));
        return out.toByteArray();
    }

    private String fields(String... all) {
        List<String> present = new ArrayList<>(List.of(all));
        present.removeIf(String::isEmpty);
        return blanks.apply("") + String.join(blanks.apply(" "), present) + blanks.apply("");
    }

    private String seconds(long nanos) {
        return number.apply(nanos / 1_000_000_000L);
    }

    private String lease(long nanos) {
        return nanos == DEFAULT_LEASE ? "" : seconds(nanos);
    }

    private String limit(ResourceKind resourceKind, long limit) {
        return resourceKind == ResourceKind.SEMAPHORE ? number.apply(limit) : "";
    }

    private static String token(Token token) {
        return HexFormat.of().toHexDigits(token.fence()) + HexFormat.of().toHexDigits(token.salt());
    }
}
