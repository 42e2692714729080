package io.holdfast.protocol.dflockd;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;

import io.holdfast.engine.Namespace;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

@DisplayName("Whatever bytes arrive")
class DflockdDecoderFuzzTest {
    /** Command and key with their ends, and the longest argument. */
    private static final int MAX_LEFT = 257 + 257 + 65536;

    private static final int MAX_LEFT_SHORT = 257 + 257 + 256;

    @DictionaryEntries({
        "l\\x0a",
        "sl\\x0a",
        "r\\x0a",
        "sr\\x0a",
        "n\\x0a",
        "sn\\x0a",
        "e\\x0a",
        "se\\x0a",
        "w\\x0a",
        "sw\\x0a",
        "ping\\x0a\\x0a\\x0a",
        "stats\\x0a\\x0a\\x0a",
        "auth\\x0a\\x0a",
        "signal\\x0a",
        "listen\\x0a",
        "unlisten\\x0a",
        "incr\\x0akey\\x0a",
        "decr\\x0akey\\x0a",
        "cset\\x0akey\\x0a",
        "get\\x0akey\\x0a",
        "kset\\x0akey\\x0a",
        "kget\\x0akey\\x0a",
        "kdel\\x0akey\\x0a",
        "lpush\\x0akey\\x0a",
        "rpush\\x0akey\\x0a",
        "lpop\\x0akey\\x0a",
        "rpop\\x0akey\\x0a",
        "llen\\x0akey\\x0a",
        "lrange\\x0akey\\x0a",
        "key\\x0a",
        "a.*.>\\x0a",
        " 0\\x0a",
        " +5\\x0a",
        " -5\\x0a",
        "0 -1\\x0a",
        "-9223372036854775808",
        "9223372036854775807",
        "\\x0d\\x0a",
        "\\x0a\\x0a\\x0a",
        " HTTP/1.1\\x0d\\x0a",
        "9223372036",
        "0123456789abcdef",
        "\\xc2\\xa0",
        "\\xe2\\x80\\xa8",
        "\\xe3\\x80\\x80"
    })
    @FuzzTest(maxDuration = "8s")
    void the_same_requests_are_found_however_they_are_cut(byte[] stream) {
        List<String> expected = ReferenceDecoder.decode(stream);
        assertThat(decode(stream, stream.length)).as("at once").isEqualTo(expected);
        assertThat(decode(stream, 1)).as("byte by byte").isEqualTo(expected);
        // The cuts depend on the input alone, so a finding is reproducible.
        assertThat(decode(stream, -1)).as("in pieces").isEqualTo(expected);
    }

    /** Decodes in pieces of this size, or of random sizes, and checks every step on the way. */
    private static List<String> decode(byte[] stream, int size) {
        Random random = new Random(Arrays.hashCode(stream));
        DflockdDecoder decoder = new DflockdDecoder(Namespace.DEFAULT);
        ByteBuf in = Unpooled.buffer(64);
        List<String> found = new ArrayList<>();
        int at = 0;
        while (at < stream.length) {
            int wanted = size > 0 ? size : 1 + random.nextInt(random.nextBoolean() ? 4 : 400);
            int length = Math.min(wanted, stream.length - at);
            in.writeBytes(stream, at, length);
            at += length;
            for (DflockdDecoderResult next = step(decoder, in);
                    next != null;
                    next = step(decoder, in)) {
                found.add(WireBytes.describe(next));
                if (next instanceof DflockdDecoderResult.LooksLikeHttp) {
                    return found;
                }
            }
            if (random.nextBoolean()) {
                in.discardReadBytes();
            }
        }
        return found;
    }

    private static @Nullable DflockdDecoderResult step(DflockdDecoder decoder, ByteBuf in) {
        int from = in.readerIndex();
        int to = in.writerIndex();
        long linesBefore = decoder.linesRead();
        DflockdDecoderResult next = decoder.decode(in);
        check(in.writerIndex() == to, "the decoder must not write");
        check(in.readerIndex() >= from, "the reader index must not decrease");
        check(decoder.linesRead() >= linesBefore, "the line count must not decrease");
        byte[] taken = new byte[in.readerIndex() - from];
        in.getBytes(from, taken);
        switch (next) {
            case null -> checkBounded(taken, in);
            case DflockdDecoderResult.Request(var request) -> {
                check(feeds(taken) == 3 && endsWithFeed(taken), "a request is three lines");
                checkFixedPoint(request);
            }
            case DflockdDecoderResult.Tagged _ -> check(false, "tagged mode was not requested");
            case DflockdDecoderResult.LineTooLong _ ->
                    check(endsWithFeed(taken), "a long line ends");
            case DflockdDecoderResult.LooksLikeHttp _ ->
                    check(taken.length == 0, "HTTP stays unread");
        }
        return next;
    }

    /** Either bounded incomplete input is left, or a line that is too long was discarded. */
    private static void checkBounded(byte[] taken, ByteBuf in) {
        if (taken.length > 0) {
            check(in.readableBytes() == 0, "nothing is kept of a long line");
            return;
        }
        byte[] left = new byte[in.readableBytes()];
        in.getBytes(in.readerIndex(), left);
        check(feeds(left) <= 2, "no request is left behind");
        boolean mayBeLong = left.length > 4 && (left[0] == 'a' || left[0] == 's');
        check(left.length <= (mayBeLong ? MAX_LEFT : MAX_LEFT_SHORT), "what is left is bounded");
    }

    /** A parsed request that is written and parsed again is equal. */
    private static void checkFixedPoint(DflockdRequest request) {
        String meant = WireBytes.describe(new DflockdDecoderResult.Request(request));
        DflockdRequest again = WireBytes.request(RequestWriter.plain().write(request));
        check(
                WireBytes.describe(new DflockdDecoderResult.Request(again)).equals(meant),
                "it means the same");
    }

    /** Runs for every byte: an assertion library would be too slow. */
    private static void check(boolean promise, String what) {
        if (!promise) {
            throw new AssertionError(what);
        }
    }

    private static boolean endsWithFeed(byte[] bytes) {
        return bytes.length > 0 && bytes[bytes.length - 1] == '\n';
    }

    private static long feeds(byte[] bytes) {
        long count = 0;
        for (byte b : bytes) {
            count += b == '\n' ? 1 : 0;
        }
        return count;
    }
}
