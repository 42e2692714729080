package io.holdfast.protocol.dflockd;

import io.holdfast.engine.Namespace;
import io.holdfast.protocol.RequestDecoder;
import io.holdfast.protocol.text.HttpDetector;
import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;

/**
 * Splits a stream of bytes into requests. The length of a line is limited, so buffered incomplete
 * input is bounded; no byte of an incomplete line is scanned twice. One per connection.
 */
public final class DflockdDecoder implements RequestDecoder<DflockdDecoderResult> {
    private static final int MAX_LINE_BYTES = 256;
    private static final int MAX_LONG_ARGUMENT = 65536;
    private static final DflockdDecoderResult TOO_LONG = new DflockdDecoderResult.LineTooLong();
    private static final DflockdDecoderResult HTTP = new DflockdDecoderResult.LooksLikeHttp();

    private final Namespace namespace;

    /** Number of complete lines of the current request. */
    private int lines;

    /** Ends of the complete lines, at their line feed, counted from the start of the request. */
    private int commandFeed;

    private int keyFeed;

    /** Number of bytes of the current request that have been scanned. */
    private int scanned;

    private boolean tagged;
    private boolean first = true;
    private boolean discarding;
    private long linesRead;

    public DflockdDecoder(Namespace namespace) {
        this.namespace = namespace;
    }

    /** Switches to tagged mode: from now on requests carry tags. */
    public void expectTags() {
        tagged = true;
    }

    @Override
    public long linesRead() {
        return linesRead;
    }

    @Override
    public boolean isInsideRequest() {
        return lines > 0 || scanned > 0 || discarding;
    }

    @Override
    public @Nullable DflockdDecoderResult decode(ByteBuf in) {
        int start = in.readerIndex();
        int end = in.writerIndex();
        while (true) {
            int feed = in.indexOf(start + scanned, end, (byte) '\n');
            if (discarding) {
                in.readerIndex(feed < 0 ? end : feed + 1);
                if (feed < 0) {
                    return null;
                }
                discarding = false;
                linesRead++;
                return TOO_LONG;
            }
            int lineStart = lineStart();
            int length = (feed < 0 ? end : feed) - start - lineStart;
            if (length > maxLength(in, start)) {
                discarding = true;
                start += lineStart; // up to the end of this line, not of one before it
                lines = 0;
                scanned = 0;
                continue;
            }
            if (feed < 0) {
                scanned = end - start;
                return null;
            }
            linesRead++;
            scanned = feed + 1 - start;
            switch (lines++) {
                case 0 -> {
                    commandFeed = feed - start;
                    if (first
                            && (HttpDetector.is(in, start, feed)
                                    || HttpDetector.isTls(in, start, feed))) {
                        return HTTP;
                    }
                    first = false;
                }
                case 1 -> keyFeed = feed - start;
                default -> {
                    return request(in, start, feed - start);
                }
            }
        }
    }

    private int lineStart() {
        return switch (lines) {
            case 0 -> 0;
            case 1 -> commandFeed + 1;
            default -> keyFeed + 1;
        };
    }

    private int maxLength(ByteBuf in, int start) {
        return lines == 2 && hasLongArgument(in, start) ? MAX_LONG_ARGUMENT : MAX_LINE_BYTES;
    }

    private boolean hasLongArgument(ByteBuf in, int start) {
        int end = withoutReturns(in, start, start + commandFeed);
        int command = start;
        if (tagged) {
            int space = in.indexOf(start, end, (byte) ' ');
            command = space < 0 ? end : space + 1;
        }
        return is(in, command, end, "signal") || is(in, command, end, "auth");
    }

    private DflockdDecoderResult request(ByteBuf in, int start, int argumentFeed) {
        byte[] text = new byte[argumentFeed];
        in.getBytes(start, text);
        in.readerIndex(start + argumentFeed + 1);
        lines = 0;
        scanned = 0;
        int commandEnd = withoutReturns(text, 0, commandFeed);
        int keyEnd = withoutReturns(text, commandFeed + 1, keyFeed);
        int argumentEnd = withoutReturns(text, keyFeed + 1, argumentFeed);
        if (tagged) {
            return TaggedSyntax.parse(
                    namespace, text, commandEnd, commandFeed + 1, keyEnd, keyFeed + 1, argumentEnd);
        }
        return new DflockdDecoderResult.Request(
                DflockdSyntax.parse(
                        namespace,
                        text,
                        0,
                        commandEnd,
                        commandFeed + 1,
                        keyEnd,
                        keyFeed + 1,
                        argumentEnd,
                        false));
    }

    private static int withoutReturns(byte[] text, int start, int end) {
        int to = end;
        while (to > start && text[to - 1] == '\r') {
            to--;
        }
        return to;
    }

    private static int withoutReturns(ByteBuf in, int start, int end) {
        int to = end;
        while (to > start && in.getByte(to - 1) == '\r') {
            to--;
        }
        return to;
    }

    private static boolean is(ByteBuf in, int start, int end, String word) {
        if (end - start != word.length()) {
            return false;
        }
        for (int i = 0; i < word.length(); i++) {
            if (in.getByte(start + i) != word.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
