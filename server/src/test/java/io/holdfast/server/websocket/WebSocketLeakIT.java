package io.holdfast.server.websocket;

import static io.holdfast.server.websocket.WebSocketClient.CLOSE;
import static io.holdfast.server.websocket.WebSocketClient.CONTINUATION;
import static io.holdfast.server.websocket.WebSocketClient.FINAL;
import static io.holdfast.server.websocket.WebSocketClient.REQUEST;
import static io.holdfast.server.websocket.WebSocketClient.TEXT;
import static io.holdfast.server.websocket.WebSocketClient.frame;
import static io.holdfast.server.websocket.WebSocketClient.handshakeRequest;
import static io.holdfast.server.websocket.WebSocketClient.header;
import static io.holdfast.server.websocket.WebSocketClient.joined;
import static io.holdfast.server.websocket.WebSocketClient.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.server.LiveObjects;
import io.holdfast.server.WebSocketServer;
import io.holdfast.server.lockd.LockdWebSocketHandler;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.util.ResourceLeakDetector;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;

@DisplayName("Ended WebSockets")
@Timeout(120)
class WebSocketLeakIT {
    private final ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
    private final List<String> leaks = new CopyOnWriteArrayList<>();
    private final WebSocketServer server =
            new WebSocketServer.Options()
                    .readTimeout(Duration.ofHours(1))
                    .writeTimeout(Duration.ofHours(1))
                    .start();

    @BeforeEach
    void watch() {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        ByteBufUtil.setLeakListener((type, records) -> leaks.add(type + " " + records));
    }

    @AfterEach
    void close() {
        server.close();
        ResourceLeakDetector.setLevel(level);
        ByteBufUtil.setLeakListener(null);
    }

    private WebSocketClient connect() {
        return WebSocketClient.connect(server.webSocket());
    }

    private WebSocketClient open() {
        return WebSocketClient.open(server.webSocket());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    @Test
    void ended_websockets_leave_neither_objects_nor_buffers_nor_locks() {
        WebSocketClient holder = open();
        for (int i = 0; i < 12; i++) {
            assertThat(holder.request("g " + "x".repeat(60_000) + i)).startsWith("1 ");
        }
        for (int i = 0; i < 30; i++) {
            connect().close();
            connect().send("GET / HT").close();
            connect().send("GET / HTTP/1.1\r\n\r\n").close();
            connect().send(handshakeRequest("Origin: http://evil.example\r\n")).reset();
            connect().send(bytes(REQUEST), message("g own" + i)).reset();
            connect().send(bytes(REQUEST), message("sg own")).close();
            open().send(message("g own" + i), message("d")).reset();
            open().send(message("d"), message("d"), message("dump")).close();
            open().send(message("d"), frame(FINAL | CLOSE, "")).close();
            open().send(message("iam me"), message("who")).halfClose().close();
            open().send(frame(TEXT, "g part"), frame(CONTINUATION, "x".repeat(5_000))).close();
            open().send(header(FINAL | TEXT, 0x80, 60_000), new byte[30_000]).close();
            open().send(header(FINAL | TEXT, 0x80, 70_000)).close();
            open().send(header(FINAL | TEXT, 0, 5), bytes("g own")).close();
            open().send(frame(FINAL | CLOSE, ""), message("g late")).reset();
        }
        await().until(() -> holder.counter("connections") == 1);
        assertThat(holder.counter("locks")).isEqualTo(12);
        assertThat(holder.counter("shared_locks")).isZero();
        holder.close();
        assertNothingLeft();
    }

    @Test
    void websockets_that_sent_random_bytes_leave_nothing_behind() {
        WebSocketClient other = open();
        Random random = new Random(4);
        byte[] good =
                joined(
                        message("g a"),
                        frame(TEXT, "sg "),
                        frame(FINAL | WebSocketClient.PING, "p"),
                        frame(FINAL | CONTINUATION, "b"),
                        message("d"),
                        message("dump shared"),
                        message("iam someone"),
                        message("who"),
                        message("q"));
        for (int i = 0; i < 150; i++) {
            byte[] noise = joined(good, good, good);
            for (int j = random.nextInt(6); j >= 0; j--) {
                noise[random.nextInt(noise.length)] = (byte) random.nextInt(256);
            }
            try (WebSocketClient client = open()) {
                client.send(noise).halfClose();
                WebSocketClient.Frame last = client.read();
                while (last.opcode() != CLOSE) { // a failed connection would end without it
                    last = client.read();
                }
                client.assertEnd();
            }
            assertThat(other.request("i none")).isEqualTo("0 Lock Not Locked: none\r\n");
        }
        await().until(() -> other.counter("connections") == 1);
        assertThat(other.counter("locks")).isZero();
        other.close();
        assertNothingLeft();
    }

    private void assertNothingLeft() {
        String lockd = LockdWebSocketHandler.class.getPackageName();
        for (String type : List.of("LockdWebSocketHandler", "ListingStream", "Frames")) {
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(200))
                    .until(() -> LiveObjects.of(lockd + "." + type) == 0);
        }
        await().until(() -> LiveObjects.of(WebSocketUpgrade.class.getName()) == 0);
        ByteBufAllocator.DEFAULT.buffer().release(); // reports leaked buffers
        assertThat(leaks).isEmpty();
    }
}
