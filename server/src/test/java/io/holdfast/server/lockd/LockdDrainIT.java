package io.holdfast.server.lockd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.server.IoTransport;
import io.holdfast.server.TestClient;
import io.holdfast.server.TestConfig;
import io.holdfast.server.TestServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

@DisplayName("While the server drains, over lockd")
@ParameterizedClass
@MethodSource("io.holdfast.server.TestServer#transports")
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class LockdDrainIT {
    private final LockdTestServer server;
    private final LockdTestClient holder;
    private final LockdTestClient sharer;

    LockdDrainIT(IoTransport ioTransport) {
        server =
                LockdTestServer.start(
                        new TestConfig().transport(ioTransport),
                        LockdTestServer.lockd(),
                        LockdTestServer.dflockd());
        holder = server.connect().get("held");
        sharer = server.connect();
        assertThat(sharer.request("sg shared")).startsWith("1 ");
    }

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void while_lockd_drains_nothing_is_granted_and_holders_may_query_and_release()
            throws Exception {
        CompletableFuture<Void> drained = server.drain();
        assertThatThrownBy(server::connect).isInstanceOf(UncheckedIOException.class);
        for (LockdTestClient client : new LockdTestClient[] {holder, sharer}) {
            assertThat(client.request("g free")).isEqualTo("0 Lock Get Failure: free\r");
            assertThat(client.request("sg free")).isEqualTo("0 Shared Lock Get Failure: free\r");
            assertThat(client.request("i held")).startsWith("1 Lock Is Locked: held");
            assertThat(client.request("si shared")).isEqualTo("1 Shared Lock Is Locked: shared\r");
            assertThat(client.list("d")).containsExactly("held: " + holder.name());
            assertThat(client.counters()).containsEntry("locks", 1L);
        }
        assertThat(holder.request("g held")).isEqualTo("1 Lock Get Success: held");
        assertThat(sharer.request("g held")).isEqualTo("0 Lock Get Failure: held\r");
        assertThat(sharer.request("sg shared")).isEqualTo("1 Shared Lock Get Success: shared\r");
        holder.release("held");
        holder.assertClosed();
        assertThat(sharer.request("sr shared"))
                .isEqualTo("1 Shared Lock Release Success: shared\r");
        sharer.assertClosed();
        drained.get(60, TimeUnit.SECONDS);
    }

    @Test
    void draining_closes_lockd_connections_without_holds_at_once() throws Exception {
        LockdTestClient idle = server.connect();
        idle.assertServed();
        LockdTestClient registered = server.connect();
        assertThat(registered.request("iam waiting")).isEqualTo("1 ok");
        LockdTestClient released = server.connect().get("k").release("k");
        LockdTestClient half = server.connect().send("g ");
        TestServer.soon().until(() -> holder.counter("connections") == 6);
        CompletableFuture<Void> drained = server.drain();
        idle.assertClosed();
        registered.assertClosed();
        released.assertClosed();
        half.assertClosed();
        assertThat(holder.counter("connections")).isEqualTo(2);
        assertThat(holder.list("who")).isEmpty();
        holder.reset();
        sharer.close();
        drained.get(60, TimeUnit.SECONDS);
    }

    @Test
    void a_lock_released_over_lockd_while_draining_is_not_granted() {
        TestClient waiting = server.connectDflockd(1);
        waiting.acquire("own");
        waiting.send("l", "held", "60");
        server.awaitWaiters(1, "held", 1);
        server.drain();
        assertThat(waiting.line()).isEqualTo("error");
        holder.release("held");
        holder.assertClosed();
        assertThat(sharer.isLocked("held")).isFalse();
    }
}
