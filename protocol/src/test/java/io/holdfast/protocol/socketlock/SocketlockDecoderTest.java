package io.holdfast.protocol.socketlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

@DisplayName("The socketlock decoder")
class SocketlockDecoderTest {
    /**
     * The inputs decoded when the bytes arrive in pieces of this size, up to a line that is too
     * long.
     */
    private static List<String> decode(String stream, int size) {
        SocketlockDecoder decoder = new SocketlockDecoder();
        ByteBuf in = Unpooled.buffer();
        List<String> found = new ArrayList<>();
        byte[] bytes = SocketlockText.bytes(stream);
        for (int at = 0; at < bytes.length; at += size) {
            in.writeBytes(bytes, at, Math.min(size, bytes.length - at));
            SocketlockDecoderResult next = decoder.decode(in);
            for (; next != null; next = decoder.decode(in)) {
                found.add(SocketlockText.describe(next));
                if (next instanceof SocketlockDecoderResult.TooLong) {
                    return found;
                }
            }
            assertThat(in.readableBytes()).isLessThanOrEqualTo(SocketlockDecoder.MAX_LINE_BYTES);
            in.discardReadBytes();
        }
        return found;
    }

    private static List<String> decode(String stream) {
        List<String> atOnce = decode(stream, Math.max(1, stream.length()));
        assertThat(decode(stream, 1)).as("byte by byte").isEqualTo(atOnce);
        assertThat(decode(stream, 7)).as("in pieces").isEqualTo(atOnce);
        return atOnce;
    }

    @Test
    void the_decoder_finds_every_line_of_a_stream() {
        assertThat(decode("HELLO\r\n\nI PING\nI STATUS a  b\nI EOL\n"))
                .containsExactly("hello", "nothing", "I|ping", "I|status|a b", "I|eol");
    }

    @Test
    void the_decoder_leaves_an_incomplete_line_in_the_buffer() {
        assertThat(decode("HELLO\nI RELEASE l1")).containsExactly("hello");
        assertThat(decode("")).isEmpty();
    }

    @Test
    void a_line_of_the_maximum_length_is_accepted() {
        String lock = "x".repeat(SocketlockDecoder.MAX_LINE_BYTES - "I STATUS ".length());
        assertThat(decode("I STATUS " + lock + "\nI PING\n"))
                .containsExactly("I|status|" + lock, "I|ping");
    }

    @Test
    void a_line_that_is_too_long_ends_the_decoding() {
        String lock = "x".repeat(SocketlockDecoder.MAX_LINE_BYTES - "I STATUS ".length() + 1);
        assertThat(decode("I PING\nI STATUS " + lock + "\nI PING\n"))
                .containsExactly("I|ping", "too long");
        assertThat(decode("y".repeat(SocketlockDecoder.MAX_LINE_BYTES + 1)))
                .containsExactly("too long");
        assertThat(decode("y".repeat(SocketlockDecoder.MAX_LINE_BYTES))).isEmpty();
    }
}
