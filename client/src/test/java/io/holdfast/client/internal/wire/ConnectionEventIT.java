package io.holdfast.client.internal.wire;

import static io.holdfast.client.ConnectionEvent.State.CONNECTED;
import static io.holdfast.client.ConnectionEvent.State.LOST;
import static io.holdfast.client.ConnectionEvent.State.RECONNECTED;
import static io.holdfast.client.ConnectionEvent.State.SUSPENDED;
import static io.holdfast.client.internal.wire.TaggedServiceFixture.soon;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.client.ConnectionEvent;
import io.holdfast.client.Holdfast;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

@DisplayName("Events about the connection with a cluster")
@Execution(ExecutionMode.CONCURRENT)
class ConnectionEventIT {
    private final List<ConnectionEvent> events = new CopyOnWriteArrayList<>();

    private CompletableFuture<Holdfast> connect(
            boolean plain, InetSocketAddress one, InetSocketAddress two) {
        var builder =
                Holdfast.builder()
                        .cluster(LineSocket.text(one), LineSocket.text(two))
                        .onConnection(events::add);
        return CompletableFuture.supplyAsync((plain ? builder.plain() : builder)::connect);
    }

    private void expectReconnection(InetSocketAddress from, InetSocketAddress to) {
        soon().untilAsserted(
                        () ->
                                assertThat(events)
                                        .containsExactly(
                                                new ConnectionEvent(
                                                        LineSocket.text(from), CONNECTED),
                                                new ConnectionEvent(
                                                        LineSocket.text(from), SUSPENDED),
                                                new ConnectionEvent(LineSocket.text(from), LOST),
                                                new ConnectionEvent(
                                                        LineSocket.text(to), RECONNECTED)));
    }

    @Test
    void events_of_a_tagged_connection_name_the_node() throws Exception {
        try (var one = new FakeTaggedServer();
                var two = new FakeTaggedServer();
                var client = connect(false, one.address(), two.address()).get()) {
            assertThat(client).isNotNull();
            one.cutAndReject();
            expectReconnection(one.address(), two.address());
        }
    }

    @Test
    void events_of_a_plain_connection_name_the_node() throws Exception {
        var one = new FakePlainServer();
        try (var two = new FakePlainServer()) {
            var connecting = connect(true, one.address(), two.address());
            one.next("ping _ _").respond("ok");
            try (var client = connecting.get()) {
                assertThat(client).isNotNull();
                one.close();
                two.next("ping _ _").respond("ok");
                expectReconnection(one.address(), two.address());
            }
        } finally {
            one.close();
        }
    }
}
