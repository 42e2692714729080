package io.holdfast.protocol.dflockd;

import io.holdfast.engine.Key;
import io.holdfast.engine.Kind;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.Token;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The grammar: three lines to a request. Knows bytes but no channel. Bad input gives {@link
 * DflockdRequest.Malformed}: an answer, never a throw.
 */
public final class DflockdSyntax {
    private static final DflockdRequest MALFORMED = new DflockdRequest.Malformed();
    private static final DflockdRequest PING = new DflockdRequest.Ping();
    private static final DflockdRequest STATS = new DflockdRequest.Stats();

    private DflockdSyntax() {}

    /**
     * Reads a request from {@code text}, where the command line is {@code [0, commandEnd)}, the key
     * line {@code [keyStart, keyEnd)} and the argument line {@code [argStart, argEnd)}, all without
     * their line ends.
     */
    static DflockdRequest parse(
            Namespace namespace,
            byte[] text,
            int commandEnd,
            int keyStart,
            int keyEnd,
            int argStart,
            int argEnd) {
        if (commandEnd == 1) {
            return keyed(text[0], Kind.MUTEX, namespace, text, keyStart, keyEnd, argStart, argEnd);
        }
        if (commandEnd == 2 && text[0] == 's') {
            return keyed(
                    text[1], Kind.SEMAPHORE, namespace, text, keyStart, keyEnd, argStart, argEnd);
        }
        return switch (new String(text, 0, commandEnd, StandardCharsets.ISO_8859_1)) {
            case "ping" -> PING;
            case "stats" -> STATS;
            case "auth" -> new DflockdRequest.Auth(Blanks.trim(text, argStart, argEnd));
            default -> MALFORMED;
        };
    }

    private static DflockdRequest keyed(
            byte command,
            Kind kind,
            Namespace namespace,
            byte[] text,
            int keyStart,
            int keyEnd,
            int argStart,
            int argEnd) {
        if (!isKey(text, keyStart, keyEnd)) {
            return MALFORMED;
        }
        Key key = Key.of(namespace, Arrays.copyOfRange(text, keyStart, keyEnd));
        Fields fields = new Fields(text, argStart, argEnd);
        return switch (command) {
            case 'l' -> acquire(kind, key, fields);
            case 'r' -> release(kind, key, fields);
            case 'n' -> renew(kind, key, fields);
            case 'e' -> enqueue(kind, key, fields);
            case 'w' -> await(kind, key, fields);
            default -> MALFORMED;
        };
    }

    private static DflockdRequest acquire(Kind kind, Key key, Fields fields) {
        long wait = fields.timeout();
        long limit = limit(kind, fields);
        long lease = optionalLease(fields);
        return isValid(wait, limit, lease) && !fields.hasMore()
                ? new DflockdRequest.Acquire(kind, key, limit, wait, lease)
                : MALFORMED;
    }

    private static DflockdRequest enqueue(Kind kind, Key key, Fields fields) {
        long limit = limit(kind, fields);
        long lease = optionalLease(fields);
        return isValid(limit, lease, 0) && !fields.hasMore()
                ? new DflockdRequest.Enqueue(kind, key, limit, lease)
                : MALFORMED;
    }

    private static DflockdRequest await(Kind kind, Key key, Fields fields) {
        long wait = fields.timeout();
        return isValid(wait, 0, 0) && !fields.hasMore()
                ? new DflockdRequest.Await(kind, key, wait)
                : MALFORMED;
    }

    private static DflockdRequest release(Kind kind, Key key, Fields fields) {
        Token token = fields.token();
        return token != null && !fields.hasMore()
                ? new DflockdRequest.Release(kind, key, token)
                : MALFORMED;
    }

    private static DflockdRequest renew(Kind kind, Key key, Fields fields) {
        Token token = fields.token();
        long lease = optionalLease(fields);
        return token != null && isValid(lease, 0, 0) && !fields.hasMore()
                ? new DflockdRequest.Renew(kind, key, token, lease)
                : MALFORMED;
    }

    private static long limit(Kind kind, Fields fields) {
        return switch (kind) {
            case MUTEX -> 1;
            case SEMAPHORE -> fields.limit();
        };
    }

    private static long optionalLease(Fields fields) {
        return fields.hasMore() ? fields.lease() : DflockdRequest.DEFAULT_LEASE;
    }

    private static boolean isValid(long a, long b, long c) {
        return a != Fields.INVALID && b != Fields.INVALID && c != Fields.INVALID;
    }

    /** Not empty, and no blank, tab, line feed or carriage return in it. */
    private static boolean isKey(byte[] text, int start, int end) {
        for (int i = start; i < end; i++) {
            byte c = text[i];
            if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
                return false;
            }
        }
        return start < end;
    }
}
