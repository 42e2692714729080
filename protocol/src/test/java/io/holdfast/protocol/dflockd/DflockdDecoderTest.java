package io.holdfast.protocol.dflockd;

import static io.holdfast.engine.ResourceKind.LOCK;
import static io.holdfast.protocol.dflockd.WireBytes.decode;
import static io.holdfast.protocol.dflockd.WireBytes.describe;
import static io.holdfast.protocol.dflockd.WireBytes.drain;
import static io.holdfast.protocol.dflockd.WireBytes.key;
import static io.holdfast.protocol.dflockd.WireBytes.raw;
import static io.holdfast.protocol.dflockd.WireBytes.seconds;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Namespace;
import io.holdfast.protocol.dflockd.DflockdDecoderResult.LineTooLong;
import io.holdfast.protocol.dflockd.DflockdDecoderResult.LooksLikeHttp;
import io.holdfast.protocol.dflockd.DflockdDecoderResult.Request;
import io.holdfast.protocol.dflockd.DflockdRequest.Acquire;
import io.holdfast.protocol.dflockd.DflockdRequest.Auth;
import io.holdfast.protocol.dflockd.DflockdRequest.Await;
import io.holdfast.protocol.dflockd.DflockdRequest.Malformed;
import io.holdfast.protocol.dflockd.DflockdRequest.Ping;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

@DisplayName("The decoder")
class DflockdDecoderTest {
    private static final DflockdDecoderResult MALFORMED = new Request(new Malformed());
    private static final DflockdDecoderResult PING = new Request(new Ping());
    private static final DflockdDecoderResult TOO_LONG = new LineTooLong();
    private static final DflockdDecoderResult HTTP = new LooksLikeHttp();
    private static final String TOKEN = "0123456789abcdeffedcba9876543210";

    private final DflockdDecoder decoder = new DflockdDecoder(Namespace.DEFAULT);
    private final ByteBuf in = Unpooled.buffer();

    /** Appends bytes to those that are left, and returns the inputs that this completes. */
    private List<DflockdDecoderResult> feed(byte[] bytes) {
        in.writeBytes(bytes);
        List<DflockdDecoderResult> found = drain(decoder, in);
        in.discardReadBytes();
        return found;
    }

    private List<DflockdDecoderResult> feed(String bytes) {
        return feed(raw(bytes));
    }

    @Nested
    @DisplayName("Finding a request")
    class FindsRequest {
        @Test
        void a_request_is_complete_at_the_end_of_its_third_line() {
            byte[] bytes = raw("l\nprinter\n1 2\n");
            for (int i = 0; i < bytes.length - 1; i++) {
                assertThat(feed(new byte[] {bytes[i]})).as("byte %d", i).isEmpty();
                assertThat(in.readableBytes()).isEqualTo(i + 1);
            }
            assertThat(feed("\n"))
                    .containsExactly(
                            new Request(
                                    new Acquire(LOCK, key("printer"), 1, seconds(1), seconds(2))));
            assertThat(in.readableBytes()).isZero();
        }

        @Test
        void three_empty_lines_are_a_request() {
            assertThat(decode(raw("\n\n\n"))).containsExactly(MALFORMED);
        }

        @Test
        void the_decoder_stays_in_sync_after_a_malformed_request() {
            assertThat(decode(raw("what\nx\ny\n\n\n\nl\n \n0\nw\na\nsoon\nping\n\n\n")))
                    .containsExactly(MALFORMED, MALFORMED, MALFORMED, MALFORMED, PING);
        }

        @Test
        void thousands_of_requests_are_decoded_from_one_buffer() {
            int count = 20_000;
            StringBuilder text = new StringBuilder();
            List<DflockdDecoderResult> expected = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                text.append("w\nkey").append(i).append('\n').append(i).append('\n');
                expected.add(new Request(new Await(LOCK, key("key" + i), seconds(i))));
            }
            assertThat(decode(raw(text.toString()))).isEqualTo(expected);
        }

        @Test
        void the_bytes_of_the_next_request_stay_in_the_buffer() {
            in.writeBytes(raw("ping\n\n\nl\nprin"));
            assertThat(decoder.decode(in)).isEqualTo(PING);
            assertThat(in.readerIndex()).isEqualTo(7);
            assertThat(decoder.decode(in)).isNull();
            assertThat(in.readableBytes()).isEqualTo(6);
        }

        @Test
        void the_decoder_counts_lines() {
            assertThat(decoder.linesRead()).isZero();
            assertThat(feed("l\nprin")).isEmpty();
            assertThat(decoder.linesRead()).isEqualTo(1);
            assertThat(feed("ter\n")).isEmpty();
            assertThat(decoder.linesRead()).isEqualTo(2);
            assertThat(feed("0\nping\n")).hasSize(1);
            assertThat(decoder.linesRead()).isEqualTo(4);
            assertThat(feed("x".repeat(300))).isEmpty();
            assertThat(decoder.linesRead()).isEqualTo(4);
            assertThat(feed("\n")).containsExactly(TOO_LONG);
            assertThat(decoder.linesRead()).isEqualTo(5);
        }

        @Test
        void requests_are_decoded_from_any_kind_of_buffer() {
            byte[] bytes = raw("l\nprinter\n1 2\nauth\n_\n s \nping\n\n\n");
            List<String> expected = describe(decode(bytes));
            ByteBuf direct = Unpooled.directBuffer().writeBytes(bytes);
            CompositeByteBuf scattered = Unpooled.compositeBuffer(bytes.length);
            for (byte one : bytes) {
                scattered.addComponent(true, Unpooled.wrappedBuffer(new byte[] {one}));
            }
            try {
                for (ByteBuf buffer : List.of(direct, scattered)) {
                    assertThat(describe(drain(new DflockdDecoder(Namespace.DEFAULT), buffer)))
                            .isEqualTo(expected);
                    assertThat(buffer.readableBytes()).isZero();
                }
            } finally {
                direct.release();
                scattered.release();
            }
        }
    }

    @Nested
    @DisplayName("Input in pieces")
    class FindsTheSame {
        static Stream<String> conversations() {
            return Stream.of(
                    "l\nprinter\n1 2\nr\nprinter\n" + TOKEN + "\nping\n\n\n",
                    "what\r\n\r\n\r\n\n\n\nsl\r\r\npool\r\n0\r 3\r\r\n",
                    "auth\n \n open sesame \nstats\n_\n\ne\nk\u00ff\u0000\n\n",
                    "w\n" + "k".repeat(256) + "\n0\nping\n" + "k".repeat(257) + "\nping\n\n\n",
                    "x".repeat(300) + "\nping\n\n\n",
                    "auth\n\n" + "s".repeat(300) + "\nw\na\n0\n",
                    "GET / HTTP/1.1\r\n");
        }

        @ParameterizedTest
        @MethodSource("conversations")
        void requests_are_decoded_byte_by_byte(String conversation) {
            List<DflockdDecoderResult> found = new ArrayList<>();
            for (byte one : raw(conversation)) {
                found.addAll(feed(new byte[] {one}));
            }
            assertThat(describe(found)).isEqualTo(atOnce(conversation));
        }

        @ParameterizedTest
        @MethodSource("conversations")
        void requests_are_decoded_from_every_split_into_two_pieces(String conversation) {
            List<String> expected = atOnce(conversation);
            byte[] bytes = raw(conversation);
            for (int cut = 0; cut <= bytes.length; cut++) {
                assertThat(pieces(bytes, cut, cut)).as("cut at %d", cut).isEqualTo(expected);
            }
        }

        @ParameterizedTest
        @MethodSource("conversations")
        void requests_are_decoded_from_every_split_into_three_pieces(String conversation) {
            List<String> expected = atOnce(conversation);
            byte[] bytes = raw(conversation);
            int step = Math.max(1, bytes.length / 80); // long ones in strides
            for (int first = 0; first <= bytes.length; first += step) {
                for (int second = first; second <= bytes.length; second++) {
                    assertThat(pieces(bytes, first, second))
                            .as("cut at %d and %d", first, second)
                            .isEqualTo(expected);
                }
            }
        }

        private static List<String> atOnce(String conversation) {
            List<DflockdDecoderResult> found =
                    drain(
                            new DflockdDecoder(Namespace.DEFAULT),
                            Unpooled.wrappedBuffer(raw(conversation)));
            assertThat(found).isNotEmpty();
            return describe(found);
        }

        private static List<String> pieces(byte[] bytes, int first, int second) {
            DflockdDecoder decoder = new DflockdDecoder(Namespace.DEFAULT);
            ByteBuf in = Unpooled.buffer(bytes.length);
            List<DflockdDecoderResult> found = new ArrayList<>();
            int from = 0;
            for (int to : new int[] {first, second, bytes.length}) {
                in.writeBytes(Arrays.copyOfRange(bytes, from, to));
                found.addAll(drain(decoder, in));
                in.discardReadBytes();
                from = to;
            }
            boolean ended = found.contains(HTTP);
            assertThat(ended || in.readableBytes() == 0).as("nothing left over").isTrue();
            return describe(found);
        }
    }

    @Nested
    @DisplayName("Carriage returns")
    class CarriageReturns {
        @Test
        void carriage_returns_before_a_line_feed_are_removed() {
            assertThat(decode(raw("w\r\nprinter\r\r\r\n7\r\r\n")))
                    .containsExactly(new Request(new Await(LOCK, key("printer"), seconds(7))));
            assertThat(decode(raw("ping\r\n\r\n\r\n"))).containsExactly(PING);
        }

        @Test
        void carriage_returns_inside_a_line_are_part_of_it() {
            assertThat(decode(raw("w\r1\na\n0\n"))).containsExactly(MALFORMED);
            assertThat(decode(raw("\rw\na\n0\n"))).containsExactly(MALFORMED);
            assertThat(decode(raw("w\na\rb\n0\n"))).containsExactly(MALFORMED);
            assertThat(decode(raw("w\n\ra\n0\n"))).containsExactly(MALFORMED);
            assertThat(decode(raw("w\na\r \n0\n"))).containsExactly(MALFORMED);
        }

        @Test
        void carriage_returns_inside_an_argument_are_whitespace() {
            assertThat(decode(raw("l\na\n\r1\r2\n")))
                    .containsExactly(
                            new Request(new Acquire(LOCK, key("a"), 1, seconds(1), seconds(2))));
        }

        @Test
        void a_line_of_carriage_returns_is_empty() {
            assertThat(decode(raw("w\n\r\r\n0\n"))).containsExactly(MALFORMED);
        }
    }

    @Nested
    @DisplayName("Line limits")
    class Caps {
        @Test
        void every_line_is_limited_to_256_bytes() {
            assertThat(decode(raw("c".repeat(256) + "\n\n\n"))).containsExactly(MALFORMED);
            assertThat(decode(raw("w\n" + "k".repeat(256) + "\n0\n")))
                    .containsExactly(new Request(new Await(LOCK, key("k".repeat(256)), 0)));
            assertThat(decode(raw("w\nk\n" + "0".repeat(256) + "\n")))
                    .containsExactly(new Request(new Await(LOCK, key("k"), 0)));
        }

        @ParameterizedTest
        @ValueSource(strings = {"", "w\n", "w\nk\n", "ping\n", "stats\n_\n", "auth\n", "signal\n"})
        void a_line_that_is_too_long_is_discarded(String before) {
            assertThat(decode(raw(before + "0".repeat(257) + "\n"))).containsExactly(TOO_LONG);
        }

        @ParameterizedTest
        @ValueSource(strings = {"", "w\n", "w\nk\n"})
        void carriage_returns_count_towards_the_line_limit(String before) {
            assertThat(decode(raw(before + "0".repeat(256) + "\r\n"))).containsExactly(TOO_LONG);
            assertThat(decode(raw(before + "\r".repeat(257) + "\n"))).containsExactly(TOO_LONG);
            String rest = "\n".repeat(3 - (int) before.chars().filter(c -> c == '\n').count());
            assertThat(decode(raw(before + "0".repeat(255) + "\r" + rest)))
                    .hasSize(1)
                    .doesNotContain(TOO_LONG);
        }

        @ParameterizedTest
        @CsvSource({"auth", "auth\r", "auth\r\r"})
        void the_argument_of_auth_is_limited_to_65536_bytes(String command) {
            String before = command + "\n_\n";
            assertThat(decode(raw(before + "s".repeat(65536) + "\n")))
                    .singleElement()
                    .isInstanceOfSatisfying(
                            Request.class,
                            found ->
                                    assertThat(((Auth) found.request()).secret())
                                            .hasSize(65536)
                                            .containsOnly('s'));
            assertThat(decode(raw(before + "s".repeat(65537) + "\n"))).containsExactly(TOO_LONG);
            assertThat(decode(raw(before + "s".repeat(65536) + "\r\n"))).containsExactly(TOO_LONG);
        }

        @Test
        void the_argument_of_signal_is_limited_to_65536_bytes() {
            assertThat(decode(raw("signal\nch\n" + "p".repeat(65536) + "\n")))
                    .hasSize(1)
                    .doesNotContain(TOO_LONG);
            assertThat(decode(raw("signal\nch\n" + "p".repeat(65537) + "\n")))
                    .containsExactly(TOO_LONG);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "Auth", "auth ", " auth", "authe", "aut", "signals", "Signal", "auth\r "
                })
        void no_other_command_may_have_a_long_argument(String command) {
            assertThat(decode(raw(command + "\n_\n" + "s".repeat(257) + "\n")))
                    .containsExactly(TOO_LONG);
        }

        @ParameterizedTest
        @ValueSource(strings = {"", "w\n", "w\nk\n"})
        void a_line_that_is_too_long_is_reported_at_its_end(String before) {
            assertThat(feed(before + "0".repeat(257))).isEmpty();
            assertThat(feed("0")).isEmpty();
            assertThat(feed("0".repeat(100_000))).isEmpty();
            assertThat(feed("\n")).containsExactly(TOO_LONG);
        }

        @ParameterizedTest
        @ValueSource(strings = {"", "w\n", "w\nk\n", "auth\n\n"})
        void a_line_that_is_too_long_is_not_buffered(String before) {
            byte[] piece = raw("0".repeat(8192));
            feed(before);
            for (int i = 0; i < 2000; i++) { // 16 MB
                assertThat(feed(piece)).isEmpty();
                assertThat(in.readableBytes()).isLessThanOrEqualTo(before.length() + 65536);
            }
            assertThat(in.readableBytes()).isZero();
            assertThat(in.capacity()).isLessThan(1 << 18);
            assertThat(feed("\n")).containsExactly(TOO_LONG);
        }

        @Test
        void the_line_after_one_that_is_too_long_is_a_command() {
            assertThat(decode(raw("w\n" + "k".repeat(257) + "\nping\n\n\n")))
                    .containsExactly(TOO_LONG, PING);
        }

        @Test
        void the_buffered_incomplete_input_is_bounded() {
            assertThat(feed("c".repeat(256))).isEmpty();
            assertThat(feed("\n" + "k".repeat(256))).isEmpty();
            assertThat(feed("\n" + "0".repeat(256))).isEmpty();
            assertThat(in.readableBytes()).isEqualTo(3 * 256 + 2);
            assertThat(feed("0")).isEmpty();
            assertThat(in.readableBytes()).isZero();
        }

        @Test
        void each_byte_of_a_slow_line_is_scanned_once() {
            CountingBuffer slow = new CountingBuffer();
            for (byte one : raw("auth\n_\n" + "s".repeat(60_000))) {
                slow.writeByte(one);
                assertThat(decoder.decode(slow)).isNull();
            }
            assertThat(slow.searched).isLessThan(2 * 60_000);
        }
    }

    /** Counts how many bytes were searched for the end of a line. */
    private static final class CountingBuffer extends UnpooledHeapByteBuf {
        private long searched;

        CountingBuffer() {
            super(UnpooledByteBufAllocator.DEFAULT, 256, Integer.MAX_VALUE);
        }

        @Override
        public int indexOf(int from, int to, byte value) {
            searched += to - from;
            return super.indexOf(from, to, value);
        }
    }

    @Nested
    @DisplayName("Detection of HTTP")
    class HttpDetection {
        @ParameterizedTest
        @ValueSource(
                strings = {
                    "GET / HTTP/1.1\r\n",
                    "POST /x?y=z HTTP/1.1\r\n",
                    "GET / HTTP/1.0\n",
                    "PRI * HTTP/2.0\r\n",
                    "\u0016\u0003\u0001 a page chose the rest\n",
                    "OPTIONS * HTTP/1.1\r\r\n",
                    "l HTTP/1.1\n",
                    " HTTP/1.1\n"
                })
        void a_first_line_that_ends_like_an_http_request_line_is_detected(String line) {
            assertThat(feed(line + "Host: localhost\r\n\r\nl\nk\n0\n")).containsExactly(HTTP);
        }

        @Test
        void http_is_detected_before_the_second_line_arrives() {
            assertThat(feed("GET / HTTP/1.1\r")).isEmpty();
            assertThat(feed("\n")).containsExactly(HTTP);
        }

        @Test
        void a_first_http_line_that_is_too_long_executes_nothing() {
            assertThat(feed("POST /" + "x".repeat(300) + " HTTP/1.1\r\n"))
                    .containsExactly(TOO_LONG);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "HTTP/1.1",
                    "GET / HTTP/1.1 ",
                    "GET / http/1.1",
                    "GET / HTTP/11",
                    "GET / HTTP/1.",
                    "GET /HTTP/1.1",
                    "GET / HTTPS/1.1",
                    "x"
                })
        void a_first_line_that_only_resembles_http_is_not_detected(String line) {
            assertThat(feed(line + "\n\n\n")).containsExactly(MALFORMED);
        }

        @Test
        void a_later_line_is_not_checked_for_http() {
            assertThat(feed("ping\nGET / HTTP/1.1\nGET / HTTP/1.1\nGET / HTTP/1.1\r\n\n\n"))
                    .containsExactly(PING, MALFORMED);
        }
    }
}
