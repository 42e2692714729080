package io.holdfast.protocol.lockd;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.DisplayName;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

@DisplayName("Whatever bytes arrive on a lockd port")
class LockdDecoderFuzzTest {
    @DictionaryEntries({
        "g ",
        "r ",
        "i ",
        "sg ",
        "sr ",
        "si ",
        "d\\x0a",
        "sd\\x0a",
        "dump shared\\x0a",
        "me\\x0a",
        "iam ",
        "who\\x0a",
        "q\\x0a",
        "\\x0d\\x0a",
        " HTTP/1.1\\x0d\\x0a",
        "\\xc2\\xa0",
        "\\xc2\\x85",
        "\\xe1\\x9a\\x80",
        "\\xe2\\x80\\xa8",
        "\\xe2\\x81\\x9f",
        "\\xe3\\x80\\x80"
    })
    @FuzzTest(maxDuration = "5s")
    void the_same_commands_are_found_however_they_are_cut(byte[] stream) {
        List<String> expected = reference(stream);
        assertThat(decode(stream, stream.length)).as("at once").isEqualTo(expected);
        assertThat(decode(stream, 1)).as("byte by byte").isEqualTo(expected);
        // The cuts depend on the input alone, so a finding is reproducible.
        assertThat(decode(stream, -1)).as("in pieces").isEqualTo(expected);
    }

    private static List<String> decode(byte[] stream, int size) {
        Random random = new Random(Arrays.hashCode(stream));
        LockdDecoder decoder = new LockdDecoder();
        ByteBuf in = Unpooled.buffer(64);
        List<String> found = new ArrayList<>();
        int at = 0;
        while (at < stream.length) {
            int wanted = size > 0 ? size : 1 + random.nextInt(random.nextBoolean() ? 4 : 400);
            int length = Math.min(wanted, stream.length - at);
            in.writeBytes(stream, at, length);
            at += length;
            for (LockdDecoderResult next = decoder.decode(in);
                    next != null;
                    next = decoder.decode(in)) {
                found.add(LockdText.describe(next));
                if (next instanceof LockdDecoderResult.LooksLikeHttp) {
                    return found;
                }
            }
            if (random.nextBoolean()) {
                in.discardReadBytes();
            }
        }
        LockdDecoderResult last = decoder.last(in);
        if (last != null) {
            found.add(LockdText.describe(last));
        }
        return found;
    }

    /** The whole stream as one text, split at its line feeds. */
    private static List<String> reference(byte[] stream) {
        List<String> found = new ArrayList<>();
        String text = LockdText.text(stream);
        boolean first = true;
        while (!text.isEmpty()) {
            int feed = text.indexOf('\n');
            String line = feed < 0 ? text : text.substring(0, feed);
            text = feed < 0 ? "" : text.substring(feed + 1);
            boolean tls = stream.length >= 2 && stream[0] == 0x16 && stream[1] == 0x03;
            if (first && (tls || line.replaceAll("\r+$", "").matches("(?s).* HTTP/.\\.."))) {
                found.add("http");
                return found;
            }
            first = false;
            found.add(
                    line.length() > LockdDecoder.MAX_LINE_BYTES
                            ? "invalid"
                            : LockdText.describe(LockdSyntax.parse(LockdText.bytes(line))));
        }
        return found;
    }
}
