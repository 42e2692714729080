package io.holdfast.socketlock;

import static io.holdfast.socketlock.Eventually.await;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A lock is only valid while the last poll is recent, so the time of the poll must not be too late.
 */
@DisplayName("The last poll of an I/O thread")
class IoThreadIT {
    @TempDir private Path folder;
    private IoThread ioThread;

    @BeforeEach
    void start() throws IOException {
        ioThread = IoThread.start("loop under test");
    }

    @AfterEach
    void end() {
        ioThread.close();
    }

    private <T> T onLoop(Supplier<T> task) {
        var result = new CompletableFuture<T>();
        ioThread.execute(() -> result.complete(task.get()));
        return result.orTimeout(60, TimeUnit.SECONDS).join();
    }

    @Test
    void the_time_of_the_last_poll_is_that_of_its_start() {
        long begin = onLoop(System::nanoTime); // then it polls
        long span = TimeUnit.MILLISECONDS.toNanos(300);
        await().until(() -> System.nanoTime() - begin > span);

        Duration age = Duration.ofNanos(onLoop(ioThread::nanosSinceLastPoll));
        assertThat(age).isBetween(Duration.ofMillis(150), Duration.ofSeconds(2));
    }

    @Test
    void the_last_poll_is_recent_while_the_thread_runs() {
        await().during(Duration.ofMillis(1500))
                .until(() -> ioThread.nanosSinceLastPoll() < TimeUnit.SECONDS.toNanos(2));
    }

    @Test
    void a_poll_includes_the_end_of_a_connection_after_its_last_line() {
        List<String> events = new CopyOnWriteArrayList<>();
        ioThread.execute(() -> connectAndHangUp(events));

        await().until(() -> events.size() == 3);
        assertThat(events).containsExactly("the last line", "the end", "the next turn");
    }

    private void connectAndHangUp(List<String> events) {
        Path path = folder.resolve("s");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(path));
            Connection.open(
                    ioThread,
                    path,
                    new Connection.Listener() {
                        @Override
                        public void line(String line) {
                            events.add(line);
                            ioThread.execute(() -> events.add("the next turn"));
                        }

                        @Override
                        public void ended() {
                            events.add("the end");
                        }
                    });
            try (SocketChannel peer = server.accept()) {
                peer.write(ByteBuffer.wrap("the last line\n".getBytes(StandardCharsets.US_ASCII)));
            }
        } catch (IOException e) {
            events.add(e.toString());
        }
    }
}
