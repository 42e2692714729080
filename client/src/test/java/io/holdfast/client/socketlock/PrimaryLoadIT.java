package io.holdfast.client.socketlock;

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
    void keeps_nothing_of_a_thousand_connections_that_come_and_go() throws Exception {
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
    void reads_no_more_from_a_client_that_does_not_read_and_serves_the_others() throws Exception {
        Path socket = folder.resolve("lock.sock");
        try (var primary = new RunningPrimary(socket);
                var slow = ScriptedLineClient.named(primary.path(), "slow");
                var other = ScriptedLineClient.named(primary.path(), "other")) {
            String line = "slow STATUS unknown\n";
            String lines = line.repeat(1000);
            long sent = sendUntilStuck(slow, lines);
            assertThat(sent).isLessThan(4_000_000); // what two socket buffers hold, roughly
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

    /** Until nothing has been taken for a while. */
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
    void answers_short_lines_with_long_answers_in_bounded_memory() throws Exception {
        Path socket = folder.resolve("lock.sock");
        String name = "n".repeat(60_000);
        try (var primary = new RunningPrimary(socket);
                var greedy = ScriptedLineClient.named(primary.path(), name);
                var other = ScriptedLineClient.named(primary.path(), "other")) {
            greedy.sendRaw("HELLO\n".repeat(2500)); // 150 MB of answers
            other.expectNothing("other");
            for (int i = 0; i < 20; i++) {
                assertThat(greedy.line()).isEqualTo("CONNECTED " + name);
            }
            assertThat(primary.connections()).isEqualTo(2);
        }
    }

    @Test
    void gives_up_a_client_that_leaves_a_megabyte_of_failures_unread() throws Exception {
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
    void is_not_held_up_by_a_listener_that_never_returns() throws Exception {
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
    void counts_the_events_that_a_slow_listener_misses() {
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
