package io.holdfast.protocol.dflockd;

import io.holdfast.engine.Namespace;
import io.netty.buffer.Unpooled;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A reference implementation of the framing: it splits the whole stream at line feeds and counts.
 * Slow, and easy to compare with the specification.
 */
final class ReferenceDecoder {
    private ReferenceDecoder() {}

    /** What the decoder must find in the stream, as {@link WireBytes#describe} tells it. */
    static List<String> decode(byte[] stream) {
        String text = new String(stream, StandardCharsets.ISO_8859_1);
        int end = text.lastIndexOf('\n');
        String[] lines = end < 0 ? new String[0] : text.substring(0, end).split("\n", -1);
        List<String> found = new ArrayList<>();
        List<String> request = new ArrayList<>();
        for (int i = 0; i < lines.length; i++) {
            if (lines[i].length() > cap(request)) {
                request.clear();
                found.add(WireBytes.describe(new DflockdDecoderResult.LineTooLong()));
                continue;
            }
            request.add(lines[i].replaceAll("\r+\\z", ""));
            if (i == 0
                    && (lines[i].startsWith("\u0016\u0003")
                            || request.getFirst().matches("(?s).* HTTP/.\\.."))) {
                found.add(WireBytes.describe(new DflockdDecoderResult.LooksLikeHttp()));
                return found;
            }
            if (request.size() == 3) {
                found.add(WireBytes.describe(new DflockdDecoderResult.Request(parse(request))));
                request.clear();
            }
        }
        return found;
    }

    private static int cap(List<String> request) {
        boolean long3rd =
                request.size() == 2
                        && (request.getFirst().equals("auth")
                                || request.getFirst().equals("signal"));
        return long3rd ? 65536 : 256;
    }

    /**
     * Data and signals have a reference syntax. That of locks is tested elsewhere: here the same
     * lines must give the same request.
     */
    private static DflockdRequest parse(List<String> lines) {
        if (ReferenceSyntax.knows(lines.getFirst())) {
            return ReferenceSyntax.parse(lines.getFirst(), lines.get(1), lines.get(2));
        }
        byte[] bytes = WireBytes.raw(String.join("\n", lines) + "\n");
        // After another request, so that nothing looks like HTTP.
        DflockdDecoder decoder = new DflockdDecoder(Namespace.DEFAULT);
        var _ = decoder.decode(Unpooled.wrappedBuffer(WireBytes.raw("\n\n\n")));
        if (decoder.decode(Unpooled.wrappedBuffer(bytes))
                instanceof DflockdDecoderResult.Request(var it)) {
            return it;
        }
        throw new AssertionError("no request: " + lines);
    }
}
