package io.holdfast.protocol.dflockd;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A reference implementation of the grammar of data and signals: regular expressions over lines in
 * which each character is a byte. Slow, and easy to compare with the specification.
 */
final class ReferenceSyntax {
    private static final Set<String> COMMANDS =
            Set.of(
                    "incr",
                    "decr",
                    "cset",
                    "get",
                    "kset",
                    "kget",
                    "kdel",
                    "lpush",
                    "rpush",
                    "lpop",
                    "rpop",
                    "llen",
                    "lrange",
                    "listen",
                    "unlisten",
                    "signal");

    /** Section 3, as UTF-8. */
    private static final String BLANK =
            "(?:[\\t\\n\\x0b\\f\\r ]|\\xc2[\\x85\\xa0]|\\xe1\\x9a\\x80"
                    + "|\\xe2\\x80[\\x80-\\x8a\\xa8\\xa9\\xaf]|\\xe2\\x81\\x9f|\\xe3\\x80\\x80)";

    private static final Pattern VALUE_AND_TTL = Pattern.compile("(.*) ([^ ]*)", Pattern.DOTALL);

    private static final long MOST_SECONDS = 9223372036L;

    private ReferenceSyntax() {}

    static boolean knows(String command) {
        return COMMANDS.contains(command);
    }

    /** The request of a known command, from lines without their ends. */
    static DflockdRequest parse(String command, String keyLine, String argument) {
        if (!keyLine.matches("[^ \\t\\n\\r]+")) {
            return new DflockdRequest.Malformed();
        }
        Key key = Key.of(Namespace.DEFAULT, WireBytes.raw(keyLine));
        Optional<? extends DflockdRequest> request =
                switch (command) {
                    case "listen" ->
                            Optional.of(new DflockdRequest.Listen(key, bytes(trim(argument))));
                    case "unlisten" ->
                            Optional.of(new DflockdRequest.Unlisten(key, bytes(trim(argument))));
                    case "signal" -> signal(keyLine, argument);
                    default ->
                            operation(command, argument)
                                    .map(it -> new DflockdRequest.Data(key, it));
                };
        return request.isPresent() ? request.get() : new DflockdRequest.Malformed();
    }

    private static Optional<? extends DataOperation> operation(String command, String argument) {
        return switch (command) {
            case "incr" -> oneNumber(argument, DataOperation.Increment::new);
            case "decr" -> oneNumber(argument, DataOperation.Decrement::new);
            case "cset" -> oneNumber(argument, DataOperation.SetCounter::new);
            case "get" -> Optional.of(new DataOperation.GetCounter());
            case "kset" -> setValue(argument);
            case "kget" -> Optional.of(new DataOperation.GetValue());
            case "kdel" -> Optional.of(new DataOperation.DeleteValue());
            case "lpush" -> push(DataOperation.End.FRONT, argument);
            case "rpush" -> push(DataOperation.End.BACK, argument);
            case "lpop" -> Optional.of(new DataOperation.Pop(DataOperation.End.FRONT));
            case "rpop" -> Optional.of(new DataOperation.Pop(DataOperation.End.BACK));
            case "llen" -> Optional.of(new DataOperation.Length());
            case "lrange" -> {
                List<Long> ends = numbers(argument);
                yield ends.size() == 2
                        ? Optional.of(new DataOperation.Range(ends.getFirst(), ends.getLast()))
                        : Optional.empty();
            }
            default -> throw new IllegalArgumentException(command);
        };
    }

    private static Optional<DataOperation> oneNumber(
            String argument, LongFunction<DataOperation> operation) {
        List<Long> numbers = numbers(argument);
        return numbers.size() == 1
                ? Optional.of(operation.apply(numbers.getFirst()))
                : Optional.empty();
    }

    private static Optional<DataOperation> setValue(String argument) {
        if (argument.isEmpty()) {
            return Optional.empty();
        }
        Matcher split = VALUE_AND_TTL.matcher(argument);
        Optional<Long> ttl = split.matches() ? number(split.group(2)) : Optional.empty();
        if (ttl.isEmpty() || ttl.get() < 0) {
            return Optional.of(new DataOperation.SetValue(bytes(argument), Command.FOREVER));
        }
        if (ttl.get() > MOST_SECONDS) {
            return Optional.empty();
        }
        long nanos = ttl.get() == 0 ? Command.FOREVER : WireBytes.seconds(ttl.get());
        return Optional.of(new DataOperation.SetValue(bytes(split.group(1)), nanos));
    }

    private static Optional<DataOperation> push(DataOperation.End end, String argument) {
        return argument.isEmpty()
                ? Optional.empty()
                : Optional.of(new DataOperation.Push(end, bytes(argument)));
    }

    private static Optional<DflockdRequest> signal(String channel, String payload) {
        boolean wild = channel.contains("*") || channel.contains(">");
        boolean blank = trim(payload).isEmpty();
        boolean fits = ("sig " + channel + " " + payload).length() <= 65536;
        return wild || blank || !fits
                ? Optional.empty()
                : Optional.of(
                        new DflockdRequest.Signal(
                                Key.of(Namespace.DEFAULT, WireBytes.raw(channel)), bytes(payload)));
    }

    /** The fields of an argument; empty if one of them is not a number. */
    private static List<Long> numbers(String argument) {
        List<Long> numbers = new ArrayList<>();
        for (String field : trim(argument).split(BLANK + "+", -1)) {
            Optional<Long> number = number(field);
            if (number.isEmpty()) {
                return List.of();
            }
            numbers.add(number.get());
        }
        return numbers;
    }

    private static Optional<Long> number(String text) {
        if (!text.matches("[+-]?[0-9]+")) {
            return Optional.empty();
        }
        BigInteger number = new BigInteger(text);
        return number.bitLength() > 63 ? Optional.empty() : Optional.of(number.longValue());
    }

    private static String trim(String argument) {
        int from = 0;
        int to = argument.length();
        for (int blank = 1; blank > 0; from += blank) {
            blank = blank(argument, from, to, true);
        }
        for (int blank = 1; blank > 0; to -= blank) {
            blank = blank(argument, from, to, false);
        }
        return argument.substring(from, to);
    }

    /** The length of the whitespace at the beginning or at the end, 0 if there is none. */
    private static int blank(String text, int from, int to, boolean atBeginning) {
        for (int length = 1; length <= Math.min(3, to - from); length++) {
            int start = atBeginning ? from : to - length;
            if (text.substring(start, start + length).matches(BLANK)) {
                return length;
            }
        }
        return 0;
    }

    private static ByteString bytes(String text) {
        return ByteString.of(WireBytes.raw(text));
    }
}
