package io.holdfast.protocol.socketlock;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.DisplayName;

import java.util.ArrayList;
import java.util.List;

@DisplayName("Whatever bytes arrive on a socketlock socket")
class SocketlockDecoderFuzzTest {
    @DictionaryEntries({
        "HELLO\\x0a",
        "I HELLO\\x0a",
        "I REQREAD ",
        "I REQWRITE l 1\\x0a",
        "I CONFIRM ",
        "I REJECT ",
        "I RELEASE ",
        "I STATUS ",
        "I PING\\x0a",
        "I EOL\\x0a",
        "I EPOCH\\x0a",
        "I PROCESS a:b:1:2\\x0a",
        "I REASSERT l READ 1 1\\x0a",
        "I SETTLED\\x0a",
        "I TOKEN l\\x0a",
        "\\x0d\\x0a",
        "\\xc2\\xa0",
        "9223372036854775808"
    })
    @FuzzTest(maxDuration = "5s")
    void the_same_requests_are_found_however_they_are_cut(byte[] stream) {
        List<String> atOnce = decode(stream, Math.max(1, stream.length));
        assertThat(decode(stream, 1)).as("byte by byte").isEqualTo(atOnce);
        assertThat(decode(stream, 5)).as("in pieces").isEqualTo(atOnce);
    }

    private static List<String> decode(byte[] stream, int size) {
        SocketlockDecoder decoder = new SocketlockDecoder();
        ByteBuf in = Unpooled.buffer();
        List<String> found = new ArrayList<>();
        for (int at = 0; at < stream.length; at += size) {
            in.writeBytes(stream, at, Math.min(size, stream.length - at));
            SocketlockDecoderResult next = decoder.decode(in);
            for (; next != null; next = decoder.decode(in)) {
                found.add(SocketlockText.describe(next));
                if (next
                        instanceof
                        SocketlockDecoderResult.Line(SocketlockRequest.RequestLock requestLock)) {
                    for (ClientIdSource clientIdSource : ClientIdSource.values()) {
                        found.add(
                                SocketlockText.describe(
                                        SocketlockSyntax.requestArguments(
                                                clientIdSource, requestLock)));
                    }
                }
                if (next instanceof SocketlockDecoderResult.TooLong) {
                    return found;
                }
            }
        }
        return found;
    }
}
