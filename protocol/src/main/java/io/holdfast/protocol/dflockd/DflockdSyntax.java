package io.holdfast.protocol.dflockd;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;
import io.holdfast.protocol.text.Whitespace;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.LongFunction;

/**
 * The grammar: parses the three lines of a request. Malformed input gives {@link
 * DflockdRequest.Malformed} and never an exception.
 */
public final class DflockdSyntax {
    private static final DflockdRequest MALFORMED = new DflockdRequest.Malformed();
    private static final DflockdRequest PING = new DflockdRequest.Ping();
    private static final DflockdRequest STATS = new DflockdRequest.Stats();

    /** The maximum length of a pushed line without its end, and the length of its fixed parts. */
    private static final int MAX_PUSHED = 65536;

    private static final int PUSHED_EXTRA = 5;

    private DflockdSyntax() {}

    /**
     * Parses a request from {@code text}, where the command is {@code [commandStart, commandEnd)},
     * the key line {@code [keyStart, keyEnd)} and the argument line {@code [argStart, argEnd)}, all
     * without their line ends.
     *
     * @param tagged whether durations may be in milliseconds, and hold attributes may be given
     */
    static DflockdRequest parse(
            Namespace namespace,
            byte[] text,
            int commandStart,
            int commandEnd,
            int keyStart,
            int keyEnd,
            int argStart,
            int argEnd,
            boolean tagged) {
        int length = commandEnd - commandStart;
        if (length == 1 || (length == 2 && text[commandStart] == 's')) {
            return isKey(text, keyStart, keyEnd)
                    ? keyed(
                            text[commandEnd - 1],
                            length == 1 ? ResourceKind.LOCK : ResourceKind.SEMAPHORE,
                            Key.of(namespace, Arrays.copyOfRange(text, keyStart, keyEnd)),
                            new DflockdArguments(text, argStart, argEnd, tagged))
                    : MALFORMED;
        }
        return switch (new String(text, commandStart, length, StandardCharsets.ISO_8859_1)) {
            case "ping" -> PING;
            case "stats" -> STATS;
            case "auth" -> new DflockdRequest.Auth(Whitespace.trim(text, argStart, argEnd));
            case "hello" -> TaggedSyntax.hello(new DflockdArguments(text, argStart, argEnd, true));
            case String command when isKey(text, keyStart, keyEnd) ->
                    named(
                            command,
                            Key.of(namespace, Arrays.copyOfRange(text, keyStart, keyEnd)),
                            text,
                            argStart,
                            argEnd);
            default -> MALFORMED;
        };
    }

    /** The commands with names of several letters that need a key. */
    private static DflockdRequest named(
            String command, Key key, byte[] text, int argStart, int argEnd) {
        return switch (command) {
            case "incr" -> counter(key, DataOperation.Increment::new, text, argStart, argEnd);
            case "decr" -> counter(key, DataOperation.Decrement::new, text, argStart, argEnd);
            case "cset" -> counter(key, DataOperation.SetCounter::new, text, argStart, argEnd);
            case "get" -> new DflockdRequest.Data(key, new DataOperation.GetCounter());
            case "kset" -> setValue(key, text, argStart, argEnd);
            case "kget" -> new DflockdRequest.Data(key, new DataOperation.GetValue());
            case "kdel" -> new DflockdRequest.Data(key, new DataOperation.DeleteValue());
            case "lpush" -> push(key, DataOperation.End.FRONT, text, argStart, argEnd);
            case "rpush" -> push(key, DataOperation.End.BACK, text, argStart, argEnd);
            case "lpop" -> pop(key, DataOperation.End.FRONT);
            case "rpop" -> pop(key, DataOperation.End.BACK);
            case "llen" -> new DflockdRequest.Data(key, new DataOperation.Length());
            case "lrange" -> range(key, new DflockdArguments(text, argStart, argEnd, false));
            case "listen" -> new DflockdRequest.Listen(key, group(text, argStart, argEnd));
            case "unlisten" -> new DflockdRequest.Unlisten(key, group(text, argStart, argEnd));
            case "signal" -> signal(key, text, argStart, argEnd);
            default -> MALFORMED;
        };
    }

    private static DflockdRequest counter(
            Key key, LongFunction<DataOperation> operation, byte[] text, int start, int end) {
        DflockdArguments dflockdArguments = new DflockdArguments(text, start, end, false);
        Long number = dflockdArguments.integer();
        return number == null || dflockdArguments.hasMore()
                ? MALFORMED
                : new DflockdRequest.Data(key, operation.apply(number));
    }

    /**
     * {@code <value> [<ttl>]}: the text after the last space is the time to live in seconds if it
     * is a number not below 0; otherwise the whole text is the value.
     */
    private static DflockdRequest setValue(Key key, byte[] text, int start, int end) {
        if (start == end) {
            return MALFORMED;
        }
        int space = end - 1;
        while (space >= start && text[space] != ' ') {
            space--;
        }
        Long seconds = space < start ? null : DflockdArguments.integer(text, space + 1, end);
        if (seconds == null || seconds < 0) {
            return setValue(key, text, start, end, 0);
        }
        return setValue(key, text, start, space, seconds);
    }

    private static DflockdRequest setValue(Key key, byte[] text, int start, int end, long seconds) {
        if (seconds > DflockdArguments.MAX_SECONDS) {
            return MALFORMED;
        }
        long ttlNanos = seconds == 0 ? Command.FOREVER : seconds * DflockdArguments.NANOS;
        return new DflockdRequest.Data(
                key, new DataOperation.SetValue(string(text, start, end), ttlNanos));
    }

    private static DflockdRequest push(
            Key key, DataOperation.End side, byte[] text, int start, int end) {
        return start == end
                ? MALFORMED
                : new DflockdRequest.Data(
                        key, new DataOperation.Push(side, string(text, start, end)));
    }

    private static DflockdRequest pop(Key key, DataOperation.End side) {
        return new DflockdRequest.Data(key, new DataOperation.Pop(side));
    }

    private static DflockdRequest range(Key key, DflockdArguments dflockdArguments) {
        Long first = dflockdArguments.integer();
        Long last = dflockdArguments.integer();
        return first == null || last == null || dflockdArguments.hasMore()
                ? MALFORMED
                : new DflockdRequest.Data(key, new DataOperation.Range(first, last));
    }

    private static DflockdRequest signal(Key channel, byte[] text, int start, int end) {
        boolean fits = end - start <= MAX_PUSHED - PUSHED_EXTRA - channel.bytes().length;
        return fits && isChannel(channel) && Whitespace.trim(text, start, end).length > 0
                ? new DflockdRequest.Signal(channel, string(text, start, end))
                : MALFORMED;
    }

    private static boolean isChannel(Key key) {
        for (byte c : key.bytes()) {
            if (c == '*' || c == '>') {
                return false;
            }
        }
        return true;
    }

    private static ByteString group(byte[] text, int start, int end) {
        return ByteString.of(Whitespace.trim(text, start, end));
    }

    private static ByteString string(byte[] text, int start, int end) {
        return ByteString.of(Arrays.copyOfRange(text, start, end));
    }

    private static DflockdRequest keyed(
            byte command, ResourceKind resourceKind, Key key, DflockdArguments dflockdArguments) {
        return switch (command) {
            case 'l' -> acquire(resourceKind, key, dflockdArguments);
            case 'r' -> release(resourceKind, key, dflockdArguments);
            case 'n' -> renew(resourceKind, key, dflockdArguments);
            case 'e' -> enqueue(resourceKind, key, dflockdArguments);
            case 'w' -> await(resourceKind, key, dflockdArguments);
            default -> MALFORMED;
        };
    }

    private static DflockdRequest acquire(
            ResourceKind resourceKind, Key key, DflockdArguments dflockdArguments) {
        long wait = dflockdArguments.timeout();
        long limit = limit(resourceKind, dflockdArguments);
        long lease = optionalLease(dflockdArguments);
        HoldAttributes holdAttributes = dflockdArguments.attributes(resourceKind);
        return isValid(wait, limit, lease) && holdAttributes != null && !dflockdArguments.hasMore()
                ? new DflockdRequest.Acquire(resourceKind, key, limit, wait, lease, holdAttributes)
                : MALFORMED;
    }

    private static DflockdRequest enqueue(
            ResourceKind resourceKind, Key key, DflockdArguments dflockdArguments) {
        long limit = limit(resourceKind, dflockdArguments);
        long lease = optionalLease(dflockdArguments);
        return isValid(limit, lease, 0) && !dflockdArguments.hasMore()
                ? new DflockdRequest.Enqueue(resourceKind, key, limit, lease)
                : MALFORMED;
    }

    private static DflockdRequest await(
            ResourceKind resourceKind, Key key, DflockdArguments dflockdArguments) {
        long wait = dflockdArguments.timeout();
        return isValid(wait, 0, 0) && !dflockdArguments.hasMore()
                ? new DflockdRequest.Await(resourceKind, key, wait)
                : MALFORMED;
    }

    private static DflockdRequest release(
            ResourceKind resourceKind, Key key, DflockdArguments dflockdArguments) {
        Token token = dflockdArguments.token();
        return token != null && !dflockdArguments.hasMore()
                ? new DflockdRequest.Release(resourceKind, key, token)
                : MALFORMED;
    }

    private static DflockdRequest renew(
            ResourceKind resourceKind, Key key, DflockdArguments dflockdArguments) {
        Token token = dflockdArguments.token();
        long lease = optionalLease(dflockdArguments);
        return token != null && isValid(lease, 0, 0) && !dflockdArguments.hasMore()
                ? new DflockdRequest.Renew(resourceKind, key, token, lease)
                : MALFORMED;
    }

    private static long limit(ResourceKind resourceKind, DflockdArguments dflockdArguments) {
        return switch (resourceKind) {
            case LOCK, SHARED -> 1;
            case SEMAPHORE -> dflockdArguments.limit();
        };
    }

    private static long optionalLease(DflockdArguments dflockdArguments) {
        return dflockdArguments.hasDuration()
                ? dflockdArguments.lease()
                : DflockdRequest.DEFAULT_LEASE;
    }

    static boolean isValid(long a, long b, long c) {
        return a != DflockdArguments.INVALID
                && b != DflockdArguments.INVALID
                && c != DflockdArguments.INVALID;
    }

    /**
     * Whether it is a valid key: not empty, and without space, tab, line feed and carriage return.
     */
    static boolean isKey(byte[] text, int start, int end) {
        for (int i = start; i < end; i++) {
            byte c = text[i];
            if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
                return false;
            }
        }
        return start < end;
    }
}
