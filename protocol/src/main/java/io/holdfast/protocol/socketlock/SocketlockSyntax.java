package io.holdfast.protocol.socketlock;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.ReadWriteMode;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.OptionalLong;

/**
 * The grammar: parses a line into a request. Malformed input gives {@link
 * SocketlockRequest.Ignored} and never an exception.
 */
public final class SocketlockSyntax {
    /** The arguments of a lock request, interpreted according to who chose the id of the client. */
    public sealed interface RequestArguments {
        /**
         * Valid arguments.
         *
         * @param lock the id of the lock, null if the server chooses one
         * @param seconds the TTL, or {@link SocketlockRequest#NO_SECONDS}
         */
        record Lock(@Nullable ByteString lock, long seconds) implements RequestArguments {}

        /** A required argument is missing, or the seconds are not a positive number. */
        record InvalidTtl() implements RequestArguments {}
    }

    private static final SocketlockRequest HELLO = new SocketlockRequest.Hello();
    static final SocketlockRequest IGNORED = new SocketlockRequest.Ignored();
    private static final RequestArguments INVALID_TTL = new RequestArguments.InvalidTtl();

    /**
     * Limits the digits that are parsed: a field can be as long as a line, and a longer number does
     * not fit into 64 bits anyway.
     */
    private static final int MAX_DIGITS = 200;

    private SocketlockSyntax() {}

    /** Parses one line, given without its line feed. */
    public static SocketlockRequest parse(byte[] line) {
        FieldReader fieldReader = new FieldReader(line);
        ByteString client = fieldReader.next();
        String verb = fieldReader.nextText();
        if (client == null) {
            return IGNORED;
        }
        if (verb == null) {
            return text(client).equals("HELLO") ? HELLO : IGNORED;
        }
        return switch (verb) {
            case "HELLO" -> new SocketlockRequest.Greeting(client);
            case "REQREAD" -> requestLock(client, ReadWriteMode.READ, fieldReader);
            case "REQWRITE" -> requestLock(client, ReadWriteMode.WRITE, fieldReader);
            case "CONFIRM", "REJECT", "RELEASE", "STATUS", "TOKEN" ->
                    about(client, verb, fieldReader);
            case "PING" -> new SocketlockRequest.Ping(client);
            case "EOL" -> new SocketlockRequest.Eol(client);
            case "EPOCH" -> new SocketlockRequest.Epoch(client);
            case "SETTLED" -> new SocketlockRequest.ReassertionsDone(client);
            case "PROCESS" -> {
                ByteString process = fieldReader.next();
                yield process == null
                        ? IGNORED
                        : new SocketlockRequest.IdentifyProcess(client, process);
            }
            case "REASSERT" -> reassert(client, fieldReader);
            default -> IGNORED;
        };
    }

    private static SocketlockRequest requestLock(
            ByteString client, ReadWriteMode readWriteMode, FieldReader fieldReader) {
        ByteString first = fieldReader.next();
        return new SocketlockRequest.RequestLock(client, readWriteMode, first, fieldReader.next());
    }

    /** The id of the lock is the rest of the line, with whitespace normalized to single spaces. */
    private static SocketlockRequest about(
            ByteString client, String verb, FieldReader fieldReader) {
        ByteString lock = fieldReader.rest();
        if (lock.isEmpty()) {
            return IGNORED;
        }
        return switch (verb) {
            case "CONFIRM" -> new SocketlockRequest.Confirm(client, lock);
            case "REJECT" -> new SocketlockRequest.Reject(client, lock);
            case "RELEASE" -> new SocketlockRequest.Release(client, lock);
            case "TOKEN" -> new SocketlockRequest.Token(client, lock);
            default -> new SocketlockRequest.Status(client, lock);
        };
    }

    private static SocketlockRequest reassert(ByteString client, FieldReader fieldReader) {
        ByteString lock = fieldReader.next();
        String mode = fieldReader.nextText();
        ByteString epoch = fieldReader.next();
        ByteString seconds = fieldReader.next();
        boolean read = "READ".equals(mode);
        OptionalLong number = epoch == null ? OptionalLong.empty() : number(epoch);
        OptionalLong left =
                seconds == null
                        ? OptionalLong.of(SocketlockRequest.NO_SECONDS)
                        : positive(number(seconds));
        if (lock == null
                || !(read || "WRITE".equals(mode))
                || number.isEmpty()
                || number.getAsLong() < 0
                || left.isEmpty()) {
            return IGNORED;
        }
        return new SocketlockRequest.Reassert(
                client,
                lock,
                read ? ReadWriteMode.READ : ReadWriteMode.WRITE,
                number.getAsLong(),
                left.getAsLong());
    }

    /** Interprets the arguments of a request according to who chose the id of the client. */
    public static RequestArguments requestArguments(
            ClientIdSource clientIdSource, SocketlockRequest.RequestLock requestLock) {
        ByteString first = requestLock.first();
        ByteString second = requestLock.second();
        if (clientIdSource == ClientIdSource.CLIENT && (first == null || isInteger(first))) {
            return requestArguments(null, first);
        }
        return first == null ? INVALID_TTL : requestArguments(first, second);
    }

    private static RequestArguments requestArguments(
            @Nullable ByteString lock, @Nullable ByteString seconds) {
        if (seconds == null) {
            return new RequestArguments.Lock(lock, SocketlockRequest.NO_SECONDS);
        }
        OptionalLong number = positive(number(seconds));
        return number.isEmpty() ? INVALID_TTL : new RequestArguments.Lock(lock, number.getAsLong());
    }

    private static OptionalLong positive(OptionalLong number) {
        return number.isPresent() && number.getAsLong() > 0 ? number : OptionalLong.empty();
    }

    /** A 64-bit integer, with or without a sign. */
    private static OptionalLong number(ByteString field) {
        if (!isInteger(field)) {
            return OptionalLong.empty();
        }
        byte[] bytes = field.bytes();
        int start = isSign(bytes[0]) ? 1 : 0;
        while (start < bytes.length - 1 && bytes[start] == '0') {
            start++; // leading zeros
        }
        if (bytes.length - start > MAX_DIGITS) {
            return OptionalLong.empty();
        }
        String digits = new String(bytes, start, bytes.length - start, StandardCharsets.ISO_8859_1);
        try {
            return OptionalLong.of(Long.parseLong((bytes[0] == '-' ? "-" : "") + digits));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    /** Whether it has the form of an integer, of any size. */
    private static boolean isInteger(ByteString field) {
        byte[] bytes = field.bytes();
        int start = isSign(bytes[0]) ? 1 : 0;
        for (int i = start; i < bytes.length; i++) {
            if (bytes[i] < '0' || bytes[i] > '9') {
                return false;
            }
        }
        return bytes.length > start;
    }

    private static boolean isSign(byte c) {
        return c == '+' || c == '-';
    }

    private static String text(ByteString field) {
        return new String(field.bytes(), StandardCharsets.ISO_8859_1);
    }

    /** Reads the fields of a line in order. */
    private static final class FieldReader {
        private final byte[] line;
        private int at;

        FieldReader(byte[] line) {
            this.line = line;
        }

        /** The next field; null if there are no more. */
        @Nullable ByteString next() {
            int start = skipWhitespace();
            if (start == line.length) {
                return null;
            }
            while (at < line.length && !isWhitespace(line[at])) {
                at++;
            }
            return ByteString.of(Arrays.copyOfRange(line, start, at));
        }

        @Nullable String nextText() {
            ByteString field = next();
            return field == null ? null : text(field);
        }

        /** All remaining fields, separated by single spaces. */
        ByteString rest() {
            byte[] out = new byte[line.length - at];
            int length = 0;
            for (int start = skipWhitespace(); start < line.length; start = skipWhitespace()) {
                if (length > 0) {
                    out[length++] = ' ';
                }
                while (at < line.length && !isWhitespace(line[at])) {
                    out[length++] = line[at++];
                }
            }
            return ByteString.of(Arrays.copyOf(out, length));
        }

        private int skipWhitespace() {
            while (at < line.length && isWhitespace(line[at])) {
                at++;
            }
            return at;
        }

        /** ASCII whitespace only: all other bytes are part of a field and are echoed unchanged. */
        private static boolean isWhitespace(byte b) {
            return b == ' ' || (b >= '\t' && b <= '\r');
        }
    }
}
