package io.holdfast.protocol.lockd;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;

@DisplayName("The lockd decoder")
class LockdDecoderTest {
    /** The inputs decoded when the bytes arrive in pieces of this size and then end. */
    private static List<String> decode(String stream, int size) {
        LockdDecoder decoder = new LockdDecoder();
        ByteBuf in = Unpooled.buffer();
        List<String> found = new ArrayList<>();
        byte[] bytes = LockdText.bytes(stream);
        for (int at = 0; at < bytes.length; at += size) {
            in.writeBytes(bytes, at, Math.min(size, bytes.length - at));
            for (LockdDecoderResult next = decoder.decode(in);
                    next != null;
                    next = decoder.decode(in)) {
                found.add(LockdText.describe(next));
            }
            assertThat(in.readableBytes()).isLessThanOrEqualTo(LockdDecoder.MAX_LINE_BYTES);
            in.discardReadBytes();
        }
        LockdDecoderResult last = decoder.last(in);
        if (last != null) {
            found.add(LockdText.describe(last));
        }
        assertThat(in.isReadable()).as("nothing is left").isFalse();
        assertThat(decoder.last(in)).isNull();
        return found;
    }

    private static List<String> decode(String stream) {
        List<String> atOnce = decode(stream, Math.max(1, stream.length()));
        assertThat(decode(stream, 1)).as("byte by byte").isEqualTo(atOnce);
        assertThat(decode(stream, 7)).as("in pieces").isEqualTo(atOnce);
        return atOnce;
    }

    @Test
    void the_decoder_finds_every_command_of_a_stream() {
        assertThat(decode("g a\ng b\r\n\nr a\n")).containsExactly("g|a", "g|b", "invalid", "r|a");
    }

    @Test
    void the_decoder_finds_a_last_command_without_a_line_feed() {
        assertThat(decode("g a\nr a")).containsExactly("g|a", "r|a");
        assertThat(decode("g a\n")).containsExactly("g|a");
        assertThat(decode("")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {4095, 65536})
    void lines_up_to_the_limit_are_accepted(int length) {
        String line = "g " + "y".repeat(length - 2);
        assertThat(decode(line + "\nq\n")).containsExactly(line.replace(' ', '|'), "q|");
    }

    @ParameterizedTest
    @ValueSource(ints = {65537, 65538, 200_000})
    void no_part_of_a_line_that_is_too_long_is_executed(int length) {
        String line = "g " + "y".repeat(length - 13) + "\rg smuggled";
        assertThat(decode(line + "\nq\n")).containsExactly("invalid", "q|");
        assertThat(decode(line)).as("without its end").containsExactly("invalid");
    }

    @Test
    void a_first_line_of_http_is_rejected() {
        assertThat(decode("GET / HTTP/1.1\r\n").getFirst()).isEqualTo("http");
        assertThat(decode("g a HTTP/1.0\n").getFirst()).isEqualTo("http");
        assertThat(decode("q\nGET / HTTP/1.1\r\n")).containsExactly("q|", "invalid");
    }

    @Test
    void a_tls_handshake_is_rejected() {
        assertThat(decode("\u0016\u0003\u0001\u0000\ng smuggled\n", 100).getFirst())
                .isEqualTo("http");
        assertThat(decode("q\n\u0016\u0003\u0001\ng x\n")).containsExactly("q|", "invalid", "g|x");
    }

    @Test
    void http_is_detected_at_the_end_of_a_first_line_that_is_too_long() {
        String path = "/" + "x".repeat(70_000);
        assertThat(decode("POST " + path + " HTTP/1.1\r\ng x\n").getFirst()).isEqualTo("http");
        assertThat(decode("q\nPOST " + path + " HTTP/1.1\r\ng x\n"))
                .containsExactly("q|", "invalid", "g|x");
    }
}
