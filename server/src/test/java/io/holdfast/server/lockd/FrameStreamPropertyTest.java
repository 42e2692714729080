package io.holdfast.server.lockd;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.LocalDriver;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceKind;
import io.holdfast.server.UnlimitedDriver;
import io.holdfast.server.connection.InputBudget;
import io.holdfast.server.connection.TestContext;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

/** The parameter of each test is the seed of its frame streams. */
@DisplayName("A stream of WebSocket frames")
@Timeout(120)
class FrameStreamPropertyTest {
    private static final int STREAMS = 200;
    private static final int MAX_KEPT = 1 << 20;
    private static final int FINAL = 0x80;
    private static final int TEXT = 0x1;
    private static final int BINARY = 0x2;
    private static final int CLOSE = 0x8;
    private static final int PING = 0x9;
    private static final int PONG = 0xa;

    private final LocalDriver driver = UnlimitedDriver.open();
    private final InputBudget kept = new InputBudget(MAX_KEPT);
    private final LockdService service =
            new LockdService(
                    new TestContext(driver)
                            .inputBudget(kept)
                            .timeouts(Duration.ofSeconds(23), Duration.ofSeconds(5))
                            .build(),
                    Namespace.DEFAULT,
                    new ListingBudget(MAX_KEPT, Duration.ofSeconds(5)));
    private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(false, true);
    private final EmbeddedChannel channel =
            new EmbeddedChannel(
                    LockdWebSocketHandler.connection(
                            service, new LockdOptions(Namespace.DEFAULT, false, true)));

    static IntStream seeds() {
        return IntStream.range(0, STREAMS);
    }

    @AfterEach
    void close() {
        driver.close();
    }

    /** The frames that a client sends, and the expected responses. */
    private static final class Script {
        private final Random random;
        private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
        private final ByteArrayOutputStream expected = new ByteArrayOutputStream();
        private final Set<String> held = new HashSet<>();

        Script(Random random) {
            this.random = random;
        }

        void write(int steps) {
            for (int i = 0; i < steps; i++) {
                switch (random.nextInt(5)) {
                    case 0, 1 -> command(1);
                    case 2 -> command(2 + random.nextInt(5));
                    case 3 -> ping();
                    default -> send(FINAL | PONG, bytes(random.nextInt(126)));
                }
            }
        }

        private void command(int fragments) {
            String name = "n" + random.nextInt(4) + "x".repeat(longOrShort());
            String respond;
            String word;
            switch (random.nextInt(5)) {
                case 0 -> {
                    word = "g ";
                    String end = held.add(name) ? "\r\n" : "\n";
                    respond = "1 Lock Get Success: " + name + end;
                }
                case 1 -> {
                    word = "r ";
                    respond =
                            held.remove(name)
                                    ? "1 Lock Release Success: " + name + "\n"
                                    : "0 Lock Release Failure: " + name + "\n";
                }
                case 2 -> {
                    word = "i ";
                    respond =
                            held.contains(name)
                                    ? "1 Lock Is Locked: " + name + "\n"
                                    : "0 Lock Not Locked: " + name + "\r\n";
                }
                case 3 -> {
                    word = "d ";
                    respond = "0 disabled\n";
                }
                default -> {
                    word = "x ";
                    respond = "";
                }
            }
            fragments(word + name, fragments);
            respond(FINAL | TEXT, respond.getBytes(StandardCharsets.US_ASCII));
        }

        private int longOrShort() {
            return random.nextInt(20) == 0 ? random.nextInt(60_000) : random.nextInt(150);
        }

        private void fragments(String message, int count) {
            byte[] all = message.getBytes(StandardCharsets.US_ASCII);
            int opcode = random.nextBoolean() ? TEXT : BINARY;
            int begin = 0;
            for (int i = 1; i <= count; i++) {
                boolean last = i == count;
                int end = last ? all.length : begin + random.nextInt(all.length - begin + 1);
                byte[] part = Arrays.copyOfRange(all, begin, end);
                send((last ? FINAL : 0) | (i == 1 ? opcode : 0), part);
                begin = end;
                if (!last && random.nextInt(3) == 0) {
                    ping();
                }
            }
        }

        private void ping() {
            byte[] payload = bytes(random.nextInt(126));
            send(FINAL | PING, payload);
            respond(FINAL | PONG, payload);
        }

        private byte[] bytes(int count) {
            byte[] bytes = new byte[count];
            random.nextBytes(bytes);
            return bytes;
        }

        /** Ends the conversation in one of several ways, followed by more input. */
        void end() {
            int status;
            switch (random.nextInt(7)) {
                case 0 -> {
                    send(FINAL | CLOSE, bytes(random.nextBoolean() ? 0 : 2 + random.nextInt(124)));
                    status = 1000;
                }
                case 1 -> {
                    send(FINAL | 0x3 + random.nextInt(5), bytes(5));
                    status = 1002;
                }
                case 2 -> {
                    send(FINAL | TEXT | (1 + random.nextInt(7)) << 4, bytes(5));
                    status = 1002;
                }
                case 3 -> {
                    sent.write(FINAL | TEXT);
                    sent.write(random.nextInt(126));
                    status = 1002;
                }
                case 4 -> {
                    send(FINAL, bytes(5)); // a continuation without a first fragment
                    status = 1002;
                }
                case 5 -> {
                    head(FINAL | TEXT, 65_537L + random.nextInt(1_000_000));
                    status = 1009;
                }
                default -> {
                    send(TEXT, bytes(40_000));
                    send(0, bytes(25_537 + random.nextInt(10_000)));
                    status = 1009;
                }
            }
            sent.writeBytes(bytes(random.nextInt(300)));
            respond(FINAL | CLOSE, new byte[] {(byte) (status >> 8), (byte) status});
        }

        private void send(int first, byte[] payload) {
            head(first, payload.length);
            byte[] mask = bytes(4);
            sent.writeBytes(mask);
            for (int i = 0; i < payload.length; i++) {
                sent.write(payload[i] ^ mask[i % 4]);
            }
        }

        private void head(int first, long length) {
            sent.write(first);
            length(0x80, length, sent);
        }

        private void respond(int first, byte[] payload) {
            expected.write(first);
            length(0, payload.length, expected);
            expected.writeBytes(payload);
        }

        private static void length(int bit, long length, ByteArrayOutputStream out) {
            ByteBuffer bytes = ByteBuffer.allocate(9);
            if (length < 126) {
                bytes.put((byte) (bit | length));
            } else if (length < 65_536) {
                bytes.put((byte) (bit | 126)).putShort((short) length);
            } else {
                bytes.put((byte) (bit | 127)).putLong(length);
            }
            out.write(bytes.array(), 0, bytes.position());
        }
    }

    // ---- properties

    @ParameterizedTest
    @MethodSource("seeds")
    void a_frame_stream_has_the_same_responses_however_it_is_split(int seed) {
        Random random = new Random(seed);
        Script script = new Script(random);
        script.write(1 + random.nextInt(40));
        script.end();
        byte[] responses = feed(script.sent.toByteArray(), random);
        assertThat(responses).isEqualTo(script.expected.toByteArray());
        assertNothingLeft();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void a_damaged_frame_stream_gets_valid_frames_and_at_most_one_close(int seed) {
        Random random = new Random(seed);
        Script script = new Script(random);
        script.write(1 + random.nextInt(20));
        byte[] damaged = damage(script.sent.toByteArray(), random);
        assertWellFormed(feed(damaged, random));
        assertNothingLeft();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void random_bytes_get_valid_frames_and_at_most_one_close(int seed) {
        Random random = new Random(seed);
        byte[] noise = new byte[random.nextInt(3_000)];
        random.nextBytes(noise);
        if (noise.length > 2 && random.nextBoolean()) {
            noise[0] = (byte) (FINAL | TEXT);
            noise[1] |= (byte) FINAL;
        }
        assertWellFormed(feed(noise, random));
        assertNothingLeft();
    }

    private static byte[] damage(byte[] bytes, Random random) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int oneIn = 1 + random.nextInt(bytes.length + 20);
        for (byte b : bytes) {
            switch (random.nextInt(oneIn) == 0 ? random.nextInt(4) : -1) {
                case 0 -> out.write(b ^ 1 << random.nextInt(8));
                case 1 -> out.write(random.nextInt(256));
                case 2 -> {} // lost
                case 3 -> {
                    out.write(b);
                    out.write(b);
                }
                default -> out.write(b);
            }
        }
        return out.toByteArray();
    }

    /** Sends the bytes in chunks, closes, and returns what the server wrote. */
    private byte[] feed(byte[] bytes, Random random) {
        channel.config().setAllocator(memory);
        var responses = new ByteArrayOutputStream();
        int maxChunk = 1 + random.nextInt(random.nextBoolean() ? 8 : 5_000);
        for (int begin = 0; begin < bytes.length; ) {
            int end = Math.min(bytes.length, begin + 1 + random.nextInt(maxChunk));
            ByteBuf piece = memory.buffer(end - begin).writeBytes(bytes, begin, end - begin);
            channel.writeInbound(piece);
            collect(responses);
            begin = end;
        }
        assertThat(channel.isOpen() || responses.size() > 0)
                .as("a close frame before the close")
                .isTrue();
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        collect(responses);
        assertThat(channel.isOpen()).as("closed after the client has closed").isFalse();
        return responses.toByteArray();
    }

    private void collect(ByteArrayOutputStream responses) {
        channel.runPendingTasks();
        channel.checkException();
        for (ByteBuf next = channel.readOutbound(); next != null; next = channel.readOutbound()) {
            byte[] bytes = new byte[next.readableBytes()];
            next.readBytes(bytes);
            responses.writeBytes(bytes);
            next.release();
        }
    }

    /**
     * Checks for text and pong frames, then a close frame at the end, which is missing after a
     * failure.
     */
    private static void assertWellFormed(byte[] responses) {
        ByteBuf in = Unpooled.wrappedBuffer(responses);
        int opcode = -1;
        while (in.isReadable()) {
            assertThat(opcode).as("no frame after a close").isNotEqualTo(CLOSE);
            int first = in.readUnsignedByte();
            assertThat(first & 0xf0).isEqualTo(FINAL);
            opcode = first & 0xf;
            assertThat(opcode).isIn(TEXT, PONG, CLOSE);
            int length = in.readUnsignedByte();
            assertThat(length).isLessThan(127);
            in.skipBytes(length == 126 ? in.readUnsignedShort() : length);
        }
        assertThat(opcode).as("the last frame").isEqualTo(CLOSE);
    }

    private void assertNothingLeft() {
        channel.finishAndReleaseAll();
        assertThat(memory.metric().usedDirectMemory()).isZero();
        assertThat(memory.metric().usedHeapMemory()).isZero();
        assertThat(kept.reserve(MAX_KEPT)).as("nothing counts as kept").isTrue();
        assertThat(driver.queries().countHeld(Namespace.DEFAULT, ResourceKind.LOCK).keys())
                .isZero();
    }
}
