package io.holdfast.server.socketlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.QueuePolicy;
import io.holdfast.server.IoTransport;
import io.holdfast.server.TestConfig;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

@DisplayName("Over socketlock")
@Timeout(120)
class SocketlockOrderIT {
    @TempDir private Path directory;
    private SocketlockTestServer server;

    private SocketlockTestClient connect(QueuePolicy queuePolicy) {
        if (server == null) {
            server = SocketlockTestServer.start(directory.resolve("s"), queuePolicy);
        }
        return server.connect();
    }

    @AfterEach
    void close() {
        if (server != null) {
            server.close();
        }
    }

    @ParameterizedTest
    @MethodSource("io.holdfast.server.TestServer#transports")
    void responses_arrive_in_the_order_of_their_effects(IoTransport ioTransport) {
        Path path = directory.resolve("s");
        server =
                SocketlockTestServer.start(
                        new TestConfig().transport(ioTransport),
                        path,
                        SocketlockTestServer.endpoint(path, QueuePolicy.FIFO));
        SocketlockTestClient client = server.connect();
        for (int i = 0; i < 500; i++) {
            client.sendLine("REQWRITE l", "PING", "REJECT l", "PING");
            client.expect("WRITELOCK l", "PONG", "REQFAIL offer rejected", "PONG");
        }
    }

    @Test
    void an_offer_caused_by_another_client_arrives_before_the_next_pong() {
        SocketlockTestClient holder = connect(QueuePolicy.FIFO);
        SocketlockTestClient other = connect(QueuePolicy.FIFO);
        for (int i = 0; i < 500; i++) {
            holder.offered("WRITE", "a").sendLine("CONFIRM a").barrier();
            other.waits("WRITE", "b");
            holder.releases("a");
            other.sendLine("PING").expect("WRITELOCK b", "PONG").sendLine("RELEASE b").barrier();
        }
    }

    @Test
    @DisplayName("H20: a request that precedes another by a PONG is served first")
    void a_request_that_precedes_another_by_a_pong_is_served_first() {
        SocketlockTestClient holder = connect(QueuePolicy.FIFO).holds("WRITE", "l");
        List<SocketlockTestClient> line = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            line.add(connect(QueuePolicy.FIFO).waits("WRITE", "l"));
        }
        holder.releases("l");
        for (SocketlockTestClient client : line) {
            client.expect("WRITELOCK l").confirms("l").sendLine("RELEASE l");
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("H1: no writer is offered the lock beside a reader")
    void no_writer_is_offered_the_lock_beside_a_reader(QueuePolicy queuePolicy) {
        SocketlockTestClient reader = connect(queuePolicy).holds("READ", "r");
        SocketlockTestClient writer = connect(queuePolicy).waits("WRITE", "w");
        reader.assertHeld("r");
        writer.barrier();
        reader.releases("r");
        writer.expect("WRITELOCK w");
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("H2: two readers hold the lock at the same time")
    void two_readers_hold_the_lock_at_the_same_time(QueuePolicy queuePolicy) {
        SocketlockTestClient first = connect(queuePolicy).holds("READ", "r");
        connect(queuePolicy).holds("READ", "r");
        first.assertHeld("r");
    }

    @Test
    void there_is_one_offer_at_a_time() {
        SocketlockTestClient first = connect(QueuePolicy.READER_PREFERRED).offered("READ", "a");
        SocketlockTestClient second = connect(QueuePolicy.READER_PREFERRED).waits("READ", "b");
        first.sendLine("CONFIRM a").barrier();
        second.expect("READLOCK b");
    }

    @Test
    void with_fifo_no_request_overtakes_another() {
        SocketlockTestClient a = connect(QueuePolicy.FIFO).holds("READ", "a");
        SocketlockTestClient b = connect(QueuePolicy.FIFO).waits("WRITE", "b");
        SocketlockTestClient c = connect(QueuePolicy.FIFO).waits("READ", "c");
        a.releases("a");
        b.expect("WRITELOCK b").confirms("b");
        c.barrier();
        b.releases("b");
        c.expect("READLOCK c");
    }

    @Test
    void writers_come_first_if_they_are_preferred() {
        SocketlockTestClient a = connect(QueuePolicy.WRITER_PREFERRED).holds("READ", "a");
        SocketlockTestClient b = connect(QueuePolicy.WRITER_PREFERRED).waits("WRITE", "b");
        SocketlockTestClient c = connect(QueuePolicy.WRITER_PREFERRED).waits("READ", "c");
        b.sendLine("REJECT b").barrier();
        c.expect("READLOCK c").confirms("c");
        SocketlockTestClient d = connect(QueuePolicy.WRITER_PREFERRED).waits("WRITE", "d");
        a.releases("a");
        c.releases("c");
        d.expect("WRITELOCK d");
    }

    @Test
    void readers_come_first_if_they_are_preferred() {
        SocketlockTestClient a = connect(QueuePolicy.READER_PREFERRED).holds("READ", "a");
        SocketlockTestClient b = connect(QueuePolicy.READER_PREFERRED).waits("WRITE", "b");
        SocketlockTestClient c = connect(QueuePolicy.READER_PREFERRED).holds("READ", "c");
        a.releases("a");
        b.barrier();
        c.releases("c");
        b.expect("WRITELOCK b");
    }

    @Test
    @DisplayName("H8: a late confirmation is reported")
    void a_late_confirmation_is_reported() {
        Path path = directory.resolve("s");
        server =
                SocketlockTestServer.start(
                        path,
                        SocketlockTestServer.limits(
                                Duration.ofSeconds(30), Duration.ofMillis(200)));
        SocketlockTestClient slow = server.connect().offered("WRITE", "l");
        SocketlockTestClient next = server.connect().sendLine("REQWRITE l").expect("WRITELOCK l");
        next.confirms("l");
        slow.sendLine("CONFIRM l", "STATUS l");
        slow.expect("REQFAIL timeout waiting for confirm", "REQFAIL invalid lock id");
        slow.expect("LOCKTIMEOUT l");
        next.assertHeld("l");
    }

    @Test
    @DisplayName("H9: the response to a withdrawn request precedes that to the next")
    void the_response_to_a_withdrawn_request_precedes_that_to_the_next() {
        SocketlockTestClient client = connect(QueuePolicy.FIFO);
        for (int i = 0; i < 200; i++) {
            client.sendLine("REQREAD a" + i, "REJECT a" + i, "REQWRITE b" + i, "RELEASE b" + i);
            client.expect("READLOCK a" + i, "REQFAIL offer rejected", "WRITELOCK b" + i);
        }
        assertThat(client.barrier()).isNotNull();
    }
}
