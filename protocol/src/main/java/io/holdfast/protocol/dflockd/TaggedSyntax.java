package io.holdfast.protocol.dflockd;

import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The grammar of tagged mode: a request is one of {@link DflockdSyntax} with a tag before its
 * command, or one that only this mode has.
 */
final class TaggedSyntax {
    /** The version of tagged mode that {@code hello} requests. */
    static final String VERSION = "1";

    private static final int MAX_LABEL_BYTES = 128;
    private static final int SECRET_DIGITS = 32;
    private static final DflockdRequest MALFORMED = new DflockdRequest.Malformed();

    private TaggedSyntax() {}

    /** Parses a request whose lines are as in {@link DflockdSyntax#parse}. */
    static DflockdDecoderResult parse(
            Namespace namespace,
            byte[] text,
            int commandEnd,
            int keyStart,
            int keyEnd,
            int argStart,
            int argEnd) {
        int space = 0;
        while (space < commandEnd && text[space] != ' ') {
            space++;
        }
        long tag = tag(text, 0, space);
        if (tag <= 0 || space == commandEnd) {
            return new DflockdDecoderResult.Tagged(0, MALFORMED);
        }
        int start = space + 1;
        DflockdArguments dflockdArguments = new DflockdArguments(text, argStart, argEnd, true);
        DflockdRequest request =
                switch (new String(text, start, commandEnd - start, StandardCharsets.ISO_8859_1)) {
                    case "cancel" -> cancel(dflockdArguments);
                    case "mine" -> mine(dflockdArguments);
                    case "bye" -> new DflockdRequest.Bye();
                    case "info" ->
                            DflockdSyntax.isKey(text, keyStart, keyEnd)
                                    ? new DflockdRequest.Describe(
                                            Key.of(
                                                    namespace,
                                                    Arrays.copyOfRange(text, keyStart, keyEnd)))
                                    : MALFORMED;
                    case "hello" -> MALFORMED; // only allowed before tagged mode
                    default ->
                            DflockdSyntax.parse(
                                    namespace,
                                    text,
                                    start,
                                    commandEnd,
                                    keyStart,
                                    keyEnd,
                                    argStart,
                                    argEnd,
                                    true);
                };
        return new DflockdDecoderResult.Tagged(tag, request);
    }

    /** A number of decimal digits only; -1 if it is anything else, or too large. */
    private static long tag(byte[] text, int start, int end) {
        Long number =
                start < end && text[start] >= '0'
                        ? DflockdArguments.integer(text, start, end)
                        : null;
        return number == null ? -1 : number;
    }

    private static DflockdRequest cancel(DflockdArguments dflockdArguments) {
        Long tag = dflockdArguments.integer();
        return tag == null || tag <= 0 || dflockdArguments.hasMore()
                ? MALFORMED
                : new DflockdRequest.Cancel(tag);
    }

    private static DflockdRequest mine(DflockdArguments dflockdArguments) {
        Long after = dflockdArguments.integer();
        return after == null || after < 0 || dflockdArguments.hasMore()
                ? MALFORMED
                : new DflockdRequest.Mine(after);
    }

    /** {@code 1 [grace=<span>] [label=<text>] [resume=<session>:<secret>]}, in any order. */
    static DflockdRequest hello(DflockdArguments dflockdArguments) {
        if (!dflockdArguments.hasMore() || !dflockdArguments.nextText().equals(VERSION)) {
            return MALFORMED;
        }
        long grace = 0;
        String label = "";
        DflockdRequest.Resume resume = null;
        while (dflockdArguments.hasMore()) {
            String field = dflockdArguments.nextText();
            int equals = field.indexOf('=');
            byte[] value = field.substring(equals + 1).getBytes(StandardCharsets.ISO_8859_1);
            switch (field.substring(0, Math.max(equals, 0))) {
                case "grace" -> {
                    grace = DflockdArguments.duration(value, 0, value.length, true, 0);
                    if (grace == DflockdArguments.INVALID) {
                        return MALFORMED;
                    }
                }
                case "label" -> {
                    label = label(value);
                    if (label.isEmpty()) {
                        return MALFORMED;
                    }
                }
                case "resume" -> {
                    resume = resume(value);
                    if (resume == null) {
                        return MALFORMED;
                    }
                }
                default -> {} // ignored: of a later version
            }
        }
        return new DflockdRequest.Hello(grace, label, resume);
    }

    /** The label, empty if it is invalid. */
    private static String label(byte[] bytes) {
        if (bytes.length > MAX_LABEL_BYTES) {
            return "";
        }
        try {
            String label =
                    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            return label.codePoints().anyMatch(TaggedSyntax::isUnprintable) ? "" : label;
        } catch (CharacterCodingException e) {
            return "";
        }
    }

    private static boolean isUnprintable(int c) {
        return Character.isISOControl(c)
                || Character.isWhitespace(c)
                || Character.isSpaceChar(c)
                || Character.getType(c) == Character.FORMAT;
    }

    private static DflockdRequest.@Nullable Resume resume(byte[] value) {
        int colon = 0;
        while (colon < value.length && value[colon] != ':') {
            colon++;
        }
        long session = tag(value, 0, colon);
        return session > 0 && value.length - colon - 1 == SECRET_DIGITS
                ? new DflockdRequest.Resume(
                        session, Arrays.copyOfRange(value, colon + 1, value.length))
                : null;
    }
}
