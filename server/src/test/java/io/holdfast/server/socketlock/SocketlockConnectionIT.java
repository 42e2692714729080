package io.holdfast.server.socketlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.QueuePolicy;
import io.holdfast.server.IoTransport;
import io.holdfast.server.TestConfig;
import io.holdfast.server.TestServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

@DisplayName("A socketlock connection")
@ParameterizedClass
@MethodSource("io.holdfast.server.TestServer#transports")
@Timeout(120)
class SocketlockConnectionIT {
    private static final int WAITERS = 1000;

    private final Queue<String> events = new ConcurrentLinkedQueue<>();
    private final SocketlockTestServer server;

    SocketlockConnectionIT(IoTransport ioTransport, @TempDir Path folder) {
        Path path = folder.resolve("s");
        server =
                SocketlockTestServer.start(
                        new TestConfig().transport(ioTransport).events(events::add),
                        path,
                        SocketlockTestServer.endpoint(
                                path,
                                null,
                                QueuePolicy.FIFO,
                                SocketlockTestServer.DEFAULT_TIMEOUTS));
    }

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void a_socketlock_connection_that_closes_releases_its_locks_at_once() {
        SocketlockTestClient holder = server.connect().holds("WRITE", "l1");
        SocketlockTestClient next = server.connect().waits("WRITE", "l2");
        holder.close();
        next.expect("WRITELOCK l2");
    }

    @Test
    void a_half_closed_socketlock_connection_counts_as_closed() {
        SocketlockTestClient holder = server.connect().holds("WRITE", "l1");
        SocketlockTestClient next = server.connect().waits("WRITE", "l2");
        holder.halfClose().assertClosed();
        next.expect("WRITELOCK l2");
    }

    @Test
    void a_closed_socketlock_connection_frees_its_position_and_its_offer() {
        SocketlockTestClient holder = server.connect().offered("WRITE", "l1");
        SocketlockTestClient second = server.connect().waits("WRITE", "l2");
        SocketlockTestClient third = server.connect().waits("WRITE", "l3");
        second.close();
        holder.close();
        third.expect("WRITELOCK l3");
    }

    @Test
    void an_unfinished_socketlock_line_is_ignored() {
        SocketlockTestClient holder = server.connect().holds("WRITE", "l1");
        SocketlockTestClient client = server.connect();
        client.send(client.id() + " REQWRITE l2").halfClose().assertClosed();
        holder.barrier();
        assertThat(events).noneMatch(event -> event.contains("l2"));
    }

    @Test
    @DisplayName("a connection that sends a line of 5 MB is closed, and others are not affected")
    void a_socketlock_connection_with_an_endless_line_is_closed() {
        SocketlockTestClient holder = server.connect().holds("READ", "l1");
        SocketlockTestClient client = server.connect().holds("READ", "l2");
        client.sendIfOpen("x".repeat(5_000_000));
        client.assertClosed();
        holder.releases("l1").holds("WRITE", "l1");
    }

    @Test
    void a_socketlock_line_may_have_64_KiB() {
        SocketlockTestClient client = server.connect();
        String lock = "x".repeat(65_536 - (client.id() + " STATUS ").length());
        client.sendLine("STATUS " + lock).expect("LOCKTIMEOUT " + lock).barrier();
    }

    @Test
    @DisplayName(
            "H22: a connection that ends while a thousand wait lets them continue one after the"
                    + " other")
    void a_thousand_waiters_continue_when_a_socketlock_connection_ends() {
        SocketlockTestClient holder = server.connect().holds("WRITE", "l");
        List<SocketlockTestClient> crowd = new ArrayList<>();
        for (int i = 0; i < WAITERS; i++) {
            crowd.add(server.connect().waits("WRITE", "l"));
        }
        holder.close();
        for (SocketlockTestClient client : crowd) {
            client.expect("WRITELOCK l").sendLine("CONFIRM l").close();
        }
        server.connect().holds("WRITE", "l");
    }

    @Test
    void a_socketlock_client_that_does_not_read_delays_no_other_and_gets_all_later() {
        SocketlockTestClient deaf = server.connect();
        String lock = "x".repeat(1000);
        int lines = 5000; // far more than sockets and buffers can hold
        Thread writer =
                Thread.startVirtualThread(
                        () -> {
                            for (int i = 0; i < lines; i++) {
                                deaf.sendLine("STATUS " + lock + i);
                            }
                        });
        SocketlockTestClient other = server.connect();
        for (int i = 0; i < 100; i++) {
            other.holds("WRITE", "l").releases("l");
        }
        assertThat(writer.isAlive()).isTrue();
        for (int i = 0; i < lines; i++) {
            deaf.expect("LOCKTIMEOUT " + lock + i);
        }
        deaf.barrier();
    }

    @Test
    void a_socketlock_client_that_does_not_read_loses_offer_and_locks_when_it_closes() {
        SocketlockTestClient deaf = server.connect().holds("WRITE", "l");
        Thread.startVirtualThread(() -> deaf.sendIfOpen("node-1 STATUS x\n".repeat(1_000_000)));
        SocketlockTestClient next = server.connect().waits("WRITE", "l");
        deaf.close();
        next.expect("WRITELOCK l");
    }

    @Test
    void events_of_a_socketlock_connection_are_logged() {
        SocketlockTestClient client = server.connect();
        client.sendLine("REQWRITE l1 3725").expect("WRITELOCK l1").confirms("l1");
        client.sendLine("RELEASE l1", "REQREAD", "REQREAD l2 0").line();
        client.expect("REQFAIL invalid ttl")
                .sendLine("STATUS a b\u001b")
                .expect("LOCKTIMEOUT a b\u001b");
        client.sendLine("EOL").assertClosed();
        TestServer.soon().until(() -> events.contains("client_disconnected client=node-1"));
        assertThat(events)
                .startsWith(
                        "hello client=node-1",
                        "client_connected client=node-1",
                        "connected client=node-1",
                        "lock_requested client=node-1 lock=l1 mode=write ttl=1h2m5s",
                        "lock_offered client=node-1 lock=l1 mode=write",
                        "lock_confirmed client=node-1 lock=l1 mode=write",
                        "status_ok client=node-1 lock=l1",
                        "lock_released client=node-1 lock=l1 mode=write")
                .contains(
                        "request_failed client=node-1 mode=read reason=invalid ttl",
                        "status_timeout client=node-1 lock=a\\x20b\\x1b");
    }
}
