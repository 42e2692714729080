package io.holdfast.lockd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

@DisplayName("A client and its threads")
@Timeout(120)
class LockdThreadsIT {
    private static final Duration ENDLESS = Duration.ofHours(1);

    @Test
    void concurrent_callers_get_their_own_responses() throws Exception {
        try (var server = FakeServer.responding(ScriptedReplies::plain);
                var client = client(server)) {
            List<Thread> callers = new ArrayList<>();
            List<CompletableFuture<Void>> ends = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                String name = "lock-" + i;
                var end = new CompletableFuture<Void>();
                ends.add(end);
                callers.add(
                        new Thread(
                                () -> {
                                    try {
                                        for (int round = 0; round < 200; round++) {
                                            assertThat(client.get(name).text()).endsWith(name);
                                            assertThat(client.release(name).text()).endsWith(name);
                                        }
                                        assertThat(client.dump()).isEmpty();
                                        end.complete(null);
                                    } catch (RuntimeException | Error e) {
                                        end.completeExceptionally(e);
                                    }
                                }));
            }
            callers.forEach(Thread::start);
            ends.forEach(CompletableFuture::join);
        }
    }

    @Test
    void callers_are_served_in_the_order_of_their_calls() throws Exception {
        var go = new CountDownLatch(1);
        try (var server =
                        FakeServer.tcp(
                                peer -> {
                                    String first = peer.line();
                                    go.await();
                                    peer.send(ScriptedReplies.plain(first));
                                    peer.respondToAll(ScriptedReplies::plain);
                                });
                var client = client(server)) {
            List<Thread> callers = new ArrayList<>();
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                String name = "lock-" + i;
                expected.add("g " + name);
                var caller = new Thread(() -> client.get(name));
                callers.add(caller);
                caller.start();
                await().until(() -> caller.getState() == Thread.State.WAITING);
            }
            go.countDown();
            for (Thread caller : callers) {
                caller.join();
            }
            assertThat(server.received()).isEqualTo(expected);
        }
    }

    @Test
    void all_operations_fail_when_the_server_disconnects() throws Exception {
        var leave = new CountDownLatch(1);
        var listener = new Recorder();
        try (var server =
                        FakeServer.tcp(
                                peer -> {
                                    peer.line();
                                    leave.await();
                                });
                var client =
                        LockdClient.builder()
                                .readTimeout(ENDLESS)
                                .listener(listener)
                                .connect(server.address())) {
            Caller first = new Caller(() -> client.get("a"));
            Caller second = new Caller(() -> client.get("b"));
            leave.countDown();
            assertThat(first.failure()).isInstanceOf(LockdConnectionException.class);
            assertThat(second.failure()).isInstanceOf(LockdConnectionException.class);
            listener.awaitNotices(2);
            assertThat(listener.notices()).containsExactly("connected", "closed");
            noThreadIsLeft(client);
        }
    }

    @Test
    void an_interrupt_while_waiting_for_a_response_closes_the_connection() throws Exception {
        var left = new CountDownLatch(1);
        try (var server =
                        FakeServer.tcp(
                                peer -> {
                                    try {
                                        peer.send(peer.line().replace("g ", "1 Lock Get Succ"));
                                        peer.awaitEnd();
                                    } finally {
                                        left.countDown();
                                    }
                                });
                var client = client(server)) {
            Caller caller = new Caller(() -> client.get("x"));
            await().until(() -> !server.received().isEmpty());
            caller.interrupt();
            assertThat(caller.failure()).isInstanceOf(LockdInterruptedException.class);
            assertThat(caller.wasInterruptedAtTheEnd()).isTrue();
            left.await();
            assertThatExceptionOfType(LockdConnectionException.class)
                    .isThrownBy(() -> client.get("y"))
                    .withMessageContaining("Interrupted");
        }
    }

    @Test
    void an_interrupt_before_sending_leaves_the_client_usable() throws Exception {
        var go = new CountDownLatch(1);
        try (var server =
                        FakeServer.tcp(
                                peer -> {
                                    String first = peer.line();
                                    go.await();
                                    peer.send(ScriptedReplies.plain(first));
                                    peer.respondToAll(ScriptedReplies::plain);
                                });
                var client = client(server)) {
            Caller first = new Caller(() -> client.get("a"));
            Caller second = new Caller(() -> client.get("b"));
            second.interrupt();
            assertThat(second.failure()).isInstanceOf(LockdInterruptedException.class);
            go.countDown();
            assertThat(first.failure()).isNull();
            assertThat(client.tryGet("c")).isTrue();
            assertThat(server.received()).containsExactly("g a", "g c");
        }
    }

    @Test
    void an_operation_interrupted_while_connecting_sends_nothing(@TempDir Path folder)
            throws Exception {
        Path socket = folder.resolve("s");
        try (var full = FullBacklog.unix(socket);
                var client =
                        LockdClient.builder()
                                .connectTimeout(ENDLESS)
                                .readTimeout(ENDLESS)
                                .connect(full.address())) {
            Caller caller = new Caller(() -> client.get("a"));
            caller.interrupt();
            assertThat(caller.failure()).isInstanceOf(LockdInterruptedException.class);
            full.acceptWaiting();
            Caller later = new Caller(() -> client.get("b"));
            assertThat(full.firstLineOfNext()).isEqualTo("g b\n");
            close(client);
            assertThat(later.failure()).isInstanceOf(LockdConnectionException.class);
        }
    }

    @Test
    void release_works_in_an_interrupted_thread() throws Exception {
        try (var server = FakeServer.responding(ScriptedReplies::plain);
                var client = client(server)) {
            client.get("x");
            Thread.currentThread().interrupt();
            assertThat(client.release("x").number()).isEqualTo(1);
            assertThat(client.releaseShared("x").number()).isEqualTo(1);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            assertThatExceptionOfType(LockdInterruptedException.class)
                    .isThrownBy(() -> client.get("x"));
            assertThat(Thread.interrupted()).isTrue();
            assertThat(client.tryGet("x")).isTrue();
        }
    }

    @Test
    void close_ends_the_operation_in_flight() throws Exception {
        try (var server = FakeServer.tcp(FakeServer.Peer::awaitEnd);
                var client = client(server)) {
            Caller caller = new Caller(() -> client.get("x"));
            close(client);
            assertThat(caller.failure())
                    .isInstanceOf(LockdConnectionException.class)
                    .hasMessage("Closed by this client");
            assertThatExceptionOfType(LockdConnectionException.class)
                    .isThrownBy(() -> client.get("x"));
            close(client);
        }
    }

    @Test
    void threads_end_after_close_without_an_event() throws Exception {
        var listener = new Recorder();
        try (var server = FakeServer.responding(ScriptedReplies::plain)) {
            var client = LockdClient.builder().listener(listener).connect(server.hostAndPort());
            client.getName();
            listener.awaitNotices(1);
            Thread.currentThread().interrupt();
            close(client);
            assertThat(Thread.interrupted()).isTrue();
            noThreadIsLeft(client);
            assertThat(listener.notices()).containsExactly("connected");
        }
    }

    @Test
    void threads_end_after_close_while_connecting(@TempDir Path folder) throws Exception {
        Path socket = folder.resolve("s");
        try (var full = FullBacklog.unix(socket)) {
            var client = LockdClient.builder().connectTimeout(ENDLESS).connect(full.address());
            Caller caller = new Caller(() -> client.get("x"));
            close(client);
            noThreadIsLeft(client);
            assertThat(caller.failure()).isInstanceOf(LockdConnectionException.class);
        }
    }

    @Test
    void connecting_to_a_unix_server_that_never_accepts_times_out(@TempDir Path folder)
            throws Exception {
        Path socket = folder.resolve("s");
        try (var full = FullBacklog.unix(socket);
                var client =
                        LockdClient.builder()
                                .connectTimeout(Duration.ofMillis(100))
                                .connect(full.address())) {
            assertThatExceptionOfType(LockdConnectionException.class)
                    .isThrownBy(client::getName)
                    .withMessage("Cannot connect to " + socket + ": no response within 100 ms");
        }
    }

    @Test
    void a_failed_connection_is_reported_to_the_listener(@TempDir Path folder) throws Exception {
        var listener = new Recorder();
        int port;
        try (var gone = new ServerSocket(0)) {
            port = gone.getLocalPort();
        }
        try (var client = LockdClient.builder().listener(listener).connect("127.0.0.1:" + port)) {
            listener.awaitNotices(1);
            assertThat(listener.notices())
                    .singleElement()
                    .asString()
                    .startsWith("failed: Cannot connect to " + "127.0.0.1:" + port);
            noThreadIsLeft(client);
        }
        try (var client = LockdClient.connectUnix(folder.resolve("nothing"))) {
            assertThatExceptionOfType(LockdConnectionException.class).isThrownBy(client::getName);
        }
    }

    @Test
    void a_listener_can_use_the_client() throws Exception {
        var name = new AtomicReference<LockdIdentity>();
        var listener =
                new Recorder() {
                    @Override
                    public void connected(LockdClient client) {
                        client.setName("job");
                        name.set(client.getName());
                        super.connected(client);
                        close(client);
                    }
                };
        try (var server = FakeServer.responding(ScriptedReplies::plain);
                var client =
                        LockdClient.builder()
                                .readTimeout(ENDLESS)
                                .listener(listener)
                                .connect(server.hostAndPort())) {
            listener.awaitNotices(1);
            assertThat(name.get().connection()).isEqualTo("127.0.0.1:4711");
            noThreadIsLeft(client);
        }
    }

    private static LockdClient client(FakeServer server) throws Exception {
        return LockdClient.builder().readTimeout(ENDLESS).connect(server.address());
    }

    private static void close(LockdClient client) {
        client.close();
    }

    private static void noThreadIsLeft(LockdClient client) {
        String place = client.toString().replaceAll("^.*\\[|\\]$", "");
        await().untilAsserted(
                        () ->
                                assertThat(Thread.getAllStackTraces().keySet())
                                        .noneMatch(thread -> thread.getName().endsWith(place)));
    }

    /** Starts a thread that waits in an operation. */
    private static final class Caller {
        private final CompletableFuture<RuntimeException> failure = new CompletableFuture<>();
        private final Thread thread;
        private volatile boolean interruptedAtTheEnd;

        Caller(Runnable operation) {
            thread =
                    new Thread(
                            () -> {
                                RuntimeException caught = null;
                                try {
                                    operation.run();
                                } catch (RuntimeException e) {
                                    caught = e;
                                }
                                interruptedAtTheEnd = Thread.currentThread().isInterrupted();
                                failure.complete(caught);
                            });
            thread.start();
            await().until(() -> thread.getState() == Thread.State.WAITING || failure.isDone());
        }

        void interrupt() {
            thread.interrupt();
        }

        RuntimeException failure() {
            return failure.join();
        }

        boolean wasInterruptedAtTheEnd() {
            return interruptedAtTheEnd;
        }
    }
}
