package io.holdfast.socketlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

@DisplayName("The embedded primary under load")
@Timeout(120)
class PrimaryLoadIT {
    @TempDir private Path folder;

    @Test
    void a_thousand_closed_connections_leave_no_state() throws Exception {
        Path socket = folder.resolve("lock.sock");
        try (var primary = new RunningPrimary(socket)) {
            for (int round = 0; round < 10; round++) {
                List<ScriptedLineClient> peers = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    var peer = ScriptedLineClient.named(primary.path(), "me");
                    peers.add(peer);
                    peer.send("me REQREAD r", "me REQWRITE w 1", "me CONFIRM r", "me REQREAD");
                    peer.sendRaw("me STAT");
                }
                assertThat(primary.connections()).isEqualTo(100);
                for (ScriptedLineClient peer : peers) {
                    peer.close();
                }
            }
            await().until(() -> primary.connections() == 0);
            await().until(() -> primary.channels() == 1); // the listener
            assertThat(primary.tableSize()).isZero();
        }
    }

    @Test
    void a_client_that_does_not_read_is_not_read_from_and_others_are_served() throws Exception {
        Path socket = folder.resolve("lock.sock");
        try (var primary = new RunningPrimary(socket);
                var slow = ScriptedLineClient.named(primary.path(), "slow");
                var other = ScriptedLineClient.named(primary.path(), "other")) {
            String line = "slow STATUS unknown\n";
            String lines = line.repeat(1000);
            long sent = sendUntilStuck(slow, lines);
            assertThat(sent).isLessThan(4_000_000); // about the size of two socket buffers
            for (int i = 0; i < 100; i++) {
                other.send("other REQWRITE l" + i, "other RELEASE l" + i);
                assertThat(other.line()).isEqualTo("other WRITELOCK l" + i);
            }
            long whole = sent / line.length();
            for (long i = 0; i < whole; i++) {
                assertThat(slow.line()).isEqualTo("slow LOCKTIMEOUT unknown");
            }
            slow.sendRaw(lines.substring((int) (sent % line.length()), line.length()));
            assertThat(slow.line()).isEqualTo("slow LOCKTIMEOUT unknown");
            slow.expectNothing("slow");
        }
    }

    /** Sends until nothing has been accepted for a while. */
    private static long sendUntilStuck(ScriptedLineClient peer, String lines) throws IOException {
        long sent = 0;
        long stuckSince = System.nanoTime();
        while (System.nanoTime() - stuckSince < Duration.ofMillis(500).toNanos()) {
            int taken = peer.trySend(lines.substring((int) (sent % lines.length())));
            if (taken > 0) {
                sent += taken;
                stuckSince = System.nanoTime();
            } else {
                Thread.onSpinWait();
            }
        }
        return sent;
    }

    @Test
    void short_requests_with_long_responses_use_bounded_memory() throws Exception {
        Path socket = folder.resolve("lock.sock");
        String name = "n".repeat(60_000);
        try (var primary = new RunningPrimary(socket);
                var greedy = ScriptedLineClient.named(primary.path(), name);
                var other = ScriptedLineClient.named(primary.path(), "other")) {
            greedy.sendRaw("HELLO\n".repeat(2500)); // 150 MB of responses
            other.expectNothing("other");
            for (int i = 0; i < 20; i++) {
                assertThat(greedy.line()).isEqualTo("CONNECTED " + name);
            }
            assertThat(primary.connections()).isEqualTo(2);
        }
    }

    @Test
    void a_client_that_leaves_a_megabyte_unread_is_disconnected() throws Exception {
        Path socket = folder.resolve("lock.sock");
        var config = LockConfig.builder().requestTimeout(Duration.ofMillis(500)).build();
        String name = "n".repeat(30_000);
        try (var primary = new RunningPrimary(socket, config);
                var holder = ScriptedLineClient.named(primary.path(), "holder");
                var slow = ScriptedLineClient.named(primary.path(), name)) {
            holder.send("holder REQWRITE l", "holder CONFIRM l");
            assertThat(holder.line()).isEqualTo("holder WRITELOCK l");
            for (int i = 0; i < 80; i++) {
                slow.send(name + " REQWRITE l" + i);
            }
            await().until(() -> primary.connections() == 1);
            assertThat(slow.drain()).isLessThan(1_000_000);
            holder.send("holder STATUS l");
            assertThat(holder.line()).isEqualTo("holder LOCKOK l");
        }
    }

    @Test
    void a_listener_that_never_returns_does_not_block_the_primary() throws Exception {
        Path socket = folder.resolve("lock.sock");
        var never = new CountDownLatch(1);
        var config =
                LockConfig.builder()
                        .listener(
                                event -> {
                                    try {
                                        never.await();
                                    } catch (InterruptedException e) {
                                        Thread.currentThread().interrupt();
                                    }
                                })
                        .build();
        try (var primary = new RunningPrimary(socket, config);
                var peer = ScriptedLineClient.named(primary.path(), "me")) {
            for (int i = 0; i < 100; i++) {
                peer.sendRaw("me PING\n".repeat(100));
                for (int j = 0; j < 100; j++) {
                    assertThat(peer.line()).isEqualTo("me PONG");
                }
            }
        } finally {
            never.countDown();
        }
    }

    @Test
    void dropped_events_of_a_slow_listener_are_counted() {
        var never = new CountDownLatch(1);
        var events =
                new LockEventDispatcher(
                        event -> {
                            try {
                                never.await();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
        for (int i = 0; i < LockEventDispatcher.MAX_QUEUED + 11; i++) {
            events.add(LockEvent.Type.PING, "me");
        }
        assertThat(events.dropped()).isEqualTo(10); // one is being delivered
        never.countDown();
        events.end();
    }
}
