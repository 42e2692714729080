package io.holdfast.cluster.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.cluster.KnownVersions;
import io.holdfast.cluster.MemberList;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

@DisplayName("A connection between nodes")
@Timeout(120)
class RpcConnectionIT {
    private static final byte ECHO = 10;
    private static final byte LATER = 11;
    private static final byte FAIL = 12;
    private static final byte NOTE = 13;
    private static final byte REFUSE = 14;
    private static final long LONG_MILLIS = 60_000;
    private static final byte[] GREETING = RpcFrame.greeting(TestService.OPENER);

    private final RpcSocketFactory rpcSocketFactory = new RpcSocketFactory(null);
    private final List<CompletableFuture<byte[]>> later = new CopyOnWriteArrayList<>();
    private final List<String> noted = new CopyOnWriteArrayList<>();
    private final TestService service = new TestService(this::handle);
    private NodeRpcServer nodeRpcServer;
    private NodeRpcClient nodeRpcClient;

    private @Nullable CompletableFuture<byte[]> handle(byte kind, byte[] body) throws IOException {
        return switch (kind) {
            case ECHO -> CompletableFuture.completedFuture(body);
            case LATER -> {
                CompletableFuture<byte[]> reply = new CompletableFuture<>();
                later.add(reply);
                yield reply;
            }
            case NOTE -> {
                noted.add(new String(body, StandardCharsets.UTF_8));
                yield null;
            }
            case REFUSE -> throw new RpcRefusedException("no longer");
            default -> throw new IOException("not today");
        };
    }

    @BeforeEach
    void connect() throws IOException {
        nodeRpcServer = newServer(0);
        int port = nodeRpcServer.address().getPort();
        nodeRpcClient =
                new NodeRpcClient(
                        "test",
                        () -> InetSocketAddress.createUnresolved("127.0.0.1", port),
                        rpcSocketFactory,
                        TestService.opener());
    }

    private NodeRpcServer newServer(int port) throws IOException {
        return new NodeRpcServer(
                "test", loopback(port), rpcSocketFactory, TestService.access(), service);
    }

    private NodeRpcServer newServer(int port, int greetingMillis, ThreadFactory threads)
            throws IOException {
        return new NodeRpcServer(
                "test",
                loopback(port),
                rpcSocketFactory,
                TestService.access(),
                new TestService(this::handle),
                greetingMillis,
                threads);
    }

    private static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    @AfterEach
    void end() throws IOException {
        nodeRpcClient.close();
        nodeRpcServer.close();
    }

    private CompletableFuture<byte[]> call(byte kind, String text) {
        return nodeRpcClient.call(kind, bytes(text), LONG_MILLIS);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Handshake greetingWith(KnownVersions known, List<String> refusals) {
        return new Handshake() {
            @Override
            public Greeting greeting() {
                return new Greeting(
                        Greeting.Kind.NODE,
                        "test",
                        null,
                        "n1",
                        new UUID(2, 2),
                        MemberList.NONE,
                        known,
                        0);
            }

            @Override
            public void check(Greeting acceptor) {}

            @Override
            public void refused(String reason) {
                refusals.add(reason);
            }
        };
    }

    @Test
    void a_call_whose_connection_the_other_side_closes_says_so() throws Exception {
        try (NodeRpcServer closing =
                new NodeRpcServer(
                        "test",
                        loopback(0),
                        rpcSocketFactory,
                        TestService.access(),
                        new TestService((_, _) -> new CompletableFuture<>()))) {
            InetSocketAddress address = closing.address();
            try (NodeRpcClient client =
                    new NodeRpcClient(
                            "test", () -> address, rpcSocketFactory, TestService.opener())) {
                CompletableFuture<byte[]> response = client.call(ECHO, bytes(""), LONG_MILLIS);
                closing.closeNodes(opener -> !opener.node().equals("opener"));
                assertThat(response).isNotDone();
                await().until(
                                () -> {
                                    closing.closeNodes(opener -> opener.node().equals("opener"));
                                    return response.isDone();
                                });
                assertThatThrownBy(response::get)
                        .hasMessageContaining("the other side closed the connection");
            }
        }
    }

    @Test
    void both_sides_use_the_highest_version_of_the_frames_that_both_know() throws Exception {
        service.versions = new KnownVersions(2, 3, 1);
        List<Integer> used = new ArrayList<>();
        for (int highest = 2; highest <= 4; highest++) {
            Handshake handshake =
                    greetingWith(new KnownVersions(1, highest, 1), new CopyOnWriteArrayList<>());
            try (RpcConnection connection =
                    rpcSocketFactory.connect(nodeRpcServer.address(), 60_000, handshake)) {
                used.add(connection.frameVersion());
            }
        }
        assertThat(used).containsExactly(2, 3, 3);
    }

    @Test
    void a_connection_without_a_common_version_is_refused_with_the_versions_of_both_sides()
            throws Exception {
        service.versions = new KnownVersions(1, 2, 1);
        List<String> refusals = new CopyOnWriteArrayList<>();
        InetSocketAddress address = nodeRpcServer.address();
        try (NodeRpcClient newer =
                new NodeRpcClient(
                        "test",
                        () -> address,
                        rpcSocketFactory,
                        greetingWith(new KnownVersions(3, 4, 1), refusals))) {
            assertThatThrownBy(() -> newer.call(ECHO, bytes(""), LONG_MILLIS).get())
                    .hasMessageContaining("n1 knows 3 to 4, and server knows 1 to 2");
        }
        assertThat(refusals).hasSize(1);
    }

    @Test
    void each_call_gets_its_own_response() throws Exception {
        CompletableFuture<byte[]> first = call(LATER, "first");
        CompletableFuture<byte[]> second = call(LATER, "second");
        assertThat(call(ECHO, "third").get()).isEqualTo(bytes("third"));
        await().until(() -> later.size() == 2);
        later.getLast().complete(bytes("b"));
        assertThat(second.get()).isEqualTo(bytes("b"));
        assertThat(first).isNotDone();
        later.getFirst().complete(bytes("a"));
        assertThat(first.get()).isEqualTo(bytes("a"));
    }

    @Test
    void a_rejected_call_gets_the_reason() {
        assertThatThrownBy(() -> call(FAIL, "").get())
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(RemoteCallFailedException.class)
                .hasMessage("not today");
        CompletableFuture<byte[]> slow = call(LATER, "");
        await().until(() -> later.size() == 1);
        later.getFirst().completeExceptionally(new IOException("nor tomorrow"));
        assertThatThrownBy(slow::get).hasMessageContaining("nor tomorrow");
    }

    @Test
    void large_bodies_are_transferred() throws Exception {
        byte[] body = new byte[RpcFrame.MAX_BYTES];
        new Random(1).nextBytes(body);
        assertThat(nodeRpcClient.call(ECHO, body, LONG_MILLIS).get()).isEqualTo(body);
    }

    @Test
    void calls_in_flight_fail_when_the_connection_closes_and_later_calls_reconnect()
            throws Exception {
        CompletableFuture<byte[]> lost = call(LATER, "");
        await().until(() -> later.size() == 1);
        int port = nodeRpcServer.address().getPort();
        nodeRpcServer.close();
        assertThatThrownBy(lost::get).isInstanceOf(ExecutionException.class);
        assertThatThrownBy(() -> call(ECHO, "x").get()).isInstanceOf(ExecutionException.class);
        nodeRpcServer = newServer(port);
        await().ignoreExceptions().until(() -> call(ECHO, "again").get().length == 5);
    }

    @Test
    void a_connection_without_a_response_for_too_long_is_replaced() throws Exception {
        CompletableFuture<byte[]> silent = nodeRpcClient.call(LATER, new byte[0], 1);
        await().until(
                        () -> {
                            nodeRpcClient.check();
                            return silent.isCompletedExceptionally();
                        });
        assertThat(call(ECHO, "again").get()).isEqualTo(bytes("again"));
    }

    @Test
    void a_connection_is_kept_until_the_timeout_of_a_call() throws Exception {
        CompletableFuture<byte[]> slow = call(LATER, "");
        await().until(() -> later.size() == 1);
        nodeRpcClient.check();
        later.getFirst().complete(bytes("done"));
        assertThat(slow.get()).isEqualTo(bytes("done"));
    }

    @Test
    void the_progress_of_a_large_frame_is_seen_while_it_is_sent() throws Exception {
        byte[] body = new byte[RpcFrame.MAX_BYTES];
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket socket = new Socket(listening.getInetAddress(), listening.getLocalPort());
                Socket reader = listening.accept()) {
            RpcConnection.prepare(socket);
            RpcConnection sender = new RpcConnection(socket, socket);
            AtomicInteger progress = new AtomicInteger();
            CompletableFuture<Void> sent =
                    CompletableFuture.runAsync(
                            () -> {
                                try {
                                    sender.send(ECHO, 1, body, progress::incrementAndGet);
                                } catch (IOException e) {
                                    throw new UncheckedIOException(e);
                                }
                            },
                            Thread::startVirtualThread);
            await().until(() -> progress.get() > 0);
            assertThat(sent).isNotDone();
            int before = progress.get();
            reader.getInputStream().skipNBytes(body.length);
            sent.get();
            assertThat(progress.get()).isGreaterThan(before);
        }
    }

    @Test
    void reconnect_replaces_the_connection() throws Exception {
        CompletableFuture<byte[]> lost = call(LATER, "");
        nodeRpcClient.reconnect();
        assertThatThrownBy(lost::get).isInstanceOf(ExecutionException.class);
        assertThat(nodeRpcClient.isConnected()).isFalse();
        assertThat(call(ECHO, "again").get()).isEqualTo(bytes("again"));
        assertThat(nodeRpcClient.isConnected()).isTrue();
    }

    @Test
    void a_message_without_a_response_is_sent_only_over_an_open_connection() throws Exception {
        nodeRpcClient.sendOneWay(NOTE, bytes("lost"));
        assertThat(call(ECHO, "").get()).isEmpty();
        nodeRpcClient.sendOneWay(NOTE, bytes("delivered"));
        await().until(() -> noted.contains("delivered"));
        assertThat(noted).containsExactly("delivered");
    }

    @Test
    void a_one_way_message_reports_only_its_rejection() throws Exception {
        AtomicInteger refusals = new AtomicInteger();
        nodeRpcClient.sendOneWay(
                FAIL, new byte[0], refusals::incrementAndGet); // connects by itself
        await().until(() -> refusals.get() == 1);
        nodeRpcClient.sendOneWay(NOTE, bytes("fine"), refusals::incrementAndGet);
        nodeRpcClient.sendOneWay(FAIL, new byte[0], refusals::incrementAndGet);
        await().until(() -> refusals.get() == 2);
        assertThat(noted).containsExactly("fine");
        nodeRpcServer.close();
        await().until(() -> !nodeRpcClient.isConnected());
        nodeRpcClient.sendOneWay(NOTE, bytes("rejected"), refusals::incrementAndGet);
        await().until(() -> refusals.get() == 3);
    }

    @Test
    void one_way_messages_arrive_in_order_also_while_connecting() {
        for (int i = 0; i < 50; i++) {
            nodeRpcClient.sendOneWay(NOTE, bytes("" + i), () -> {});
            if (i % 10 == 9) {
                int soFar = i + 1;
                await().until(() -> noted.size() == soFar);
                nodeRpcClient.reconnect();
            }
        }
        assertThat(noted)
                .containsExactlyElementsOf(
                        IntStream.range(0, 50).mapToObj(String::valueOf).toList());
    }

    @Test
    void a_caller_that_must_not_wait_fails_while_connecting() throws Exception {
        CompletableFuture<byte[]> none =
                nodeRpcClient.callIfConnected(ECHO, bytes("x"), LONG_MILLIS);
        assertThatThrownBy(none::get).hasMessageContaining("not connected yet");
        await().until(nodeRpcClient::isConnected);
        assertThat(nodeRpcClient.callIfConnected(ECHO, bytes("x"), LONG_MILLIS).get())
                .isEqualTo(bytes("x"));
    }

    @Test
    void no_connection_is_opened_after_close() {
        nodeRpcClient.close();
        assertThatThrownBy(() -> call(ECHO, "").get()).hasMessageContaining("closed");
    }

    private Socket stranger() throws IOException {
        Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), nodeRpcServer.address().getPort());
        socket.setSoTimeout(60_000);
        return socket;
    }

    /** Returns whether the peer closes the connection. */
    private static boolean isClosedByPeer(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketException e) {
            return true; // it was reset
        }
    }

    @Test
    void a_connection_without_the_greeting_is_closed() throws Exception {
        try (Socket socket = stranger()) {
            socket.getOutputStream().write(bytes("GET / HTTP/1.1\r\n\r\n"));
            assertThat(isClosedByPeer(socket)).isTrue();
        }
        assertThat(call(ECHO, "others").get()).isEqualTo(bytes("others"));
    }

    @Test
    void a_connection_is_closed_at_an_invalid_frame_length() throws Exception {
        for (int length : new int[] {-1, 0, 8, 2 << 20, Integer.MAX_VALUE}) {
            try (Socket socket = stranger()) {
                socket.getOutputStream().write(GREETING);
                var _ = RpcFrame.readAnswer(new DataInputStream(socket.getInputStream()));
                socket.getOutputStream().write(ByteBuffer.allocate(64).putInt(length).array());
                assertThat(isClosedByPeer(socket)).as("length " + length).isTrue();
            }
        }
        assertThat(call(ECHO, "others").get()).isEqualTo(bytes("others"));
    }

    @Test
    void a_connection_with_a_slow_greeting_is_closed_although_it_sends_bytes() throws Exception {
        nodeRpcServer.close();
        nodeRpcServer = newServer(0, 500, Thread::new);
        byte[] greeting = GREETING;
        try (Socket socket = stranger()) {
            socket.setSoTimeout(200);
            int sent = 0;
            boolean ended = false;
            while (!ended && sent < greeting.length - 1) {
                socket.getOutputStream().write(greeting[sent++]);
                try {
                    ended = isClosedByPeer(socket);
                } catch (SocketTimeoutException e) {
                    ended = false; // not yet
                }
            }
            assertThat(ended).isTrue();
        }
    }

    @Test
    void connections_are_accepted_again_after_a_thread_could_not_be_started() throws Exception {
        nodeRpcServer.close();
        AtomicInteger failures =
                new AtomicInteger(70); // more than the maximum number of connections
        nodeRpcServer =
                newServer(
                        0,
                        60_000,
                        task -> {
                            if (failures.getAndDecrement() > 0) {
                                throw new OutOfMemoryError("unable to create native thread");
                            }
                            return new Thread(task);
                        });
        while (failures.get() > 0) {
            try (Socket socket = stranger()) {
                assertThat(isClosedByPeer(socket)).isTrue();
            }
        }
        try (Socket socket = stranger()) {
            socket.getOutputStream().write(GREETING);
            socket.getOutputStream().write(RpcFrame.encode(ECHO, 1, bytes("x")));
            assertThat(socket.getInputStream().read()).isZero(); // the acceptance
        }
    }

    @Test
    void a_connection_is_opened_again_after_its_reader_thread_could_not_be_started()
            throws Exception {
        AtomicInteger failures = new AtomicInteger(1);
        int port = nodeRpcServer.address().getPort();
        try (NodeRpcClient starved =
                new NodeRpcClient(
                        "starved",
                        () -> loopback(port),
                        rpcSocketFactory,
                        TestService.opener(),
                        task -> {
                            if (failures.getAndDecrement() > 0) {
                                throw new OutOfMemoryError("unable to create native thread");
                            }
                            return new Thread(task);
                        })) {
            assertThatThrownBy(() -> starved.call(ECHO, bytes("x"), LONG_MILLIS).get())
                    .hasMessageContaining("cannot start a thread");
            assertThat(starved.isConnected()).isFalse();
            await().ignoreExceptions()
                    .until(() -> starved.call(ECHO, bytes("x"), LONG_MILLIS).get().length == 1);
        }
    }

    @Test
    void a_host_name_is_resolved_for_each_connection() throws Exception {
        int port = nodeRpcServer.address().getPort();
        AtomicReference<String> address = new AtomicReference<>("");
        RpcSocketFactory changing =
                new RpcSocketFactory(
                        null,
                        host -> {
                            if (address.get().isEmpty()) {
                                throw new UnknownHostException(host);
                            }
                            return InetAddress.getByName(address.get());
                        });
        try (NodeRpcClient moving =
                new NodeRpcClient(
                        "moving",
                        () -> InetSocketAddress.createUnresolved("node.test", port),
                        changing,
                        TestService.opener())) {
            assertThatThrownBy(() -> moving.call(ECHO, bytes("x"), LONG_MILLIS).get())
                    .hasMessageContaining("node.test");
            address.set("127.0.0.1");
            await().ignoreExceptions()
                    .until(() -> moving.call(ECHO, bytes("x"), LONG_MILLIS).get().length == 1);
            address.set("");
            moving.reconnect();
            assertThatThrownBy(() -> moving.call(ECHO, bytes("x"), LONG_MILLIS).get())
                    .hasMessageContaining("node.test");
            address.set("127.0.0.1");
            await().ignoreExceptions()
                    .until(() -> moving.call(ECHO, bytes("x"), LONG_MILLIS).get().length == 1);
        }
    }

    @Test
    void a_connection_can_end_while_the_next_one_is_being_opened() throws Exception {
        int port = nodeRpcServer.address().getPort();
        var resolving = new CountDownLatch(1);
        var resolve = new CountDownLatch(1);
        var connections = new AtomicInteger();
        try (NodeRpcClient slow =
                new NodeRpcClient(
                        "slow",
                        () -> {
                            if (connections.getAndIncrement() > 0) { // as with a slow name server
                                resolving.countDown();
                                awaitUninterruptibly(resolve);
                            }
                            return loopback(port);
                        },
                        rpcSocketFactory,
                        TestService.opener())) {
            var reader = new CompletableFuture<Thread>();
            var proceed = new CountDownLatch(1);
            var response =
                    slow.call(LATER, new byte[0], LONG_MILLIS)
                            .thenRun(
                                    () -> { // on the reader thread
                                        reader.complete(Thread.currentThread());
                                        awaitUninterruptibly(proceed);
                                    });
            await().until(() -> later.size() == 1);
            later.getFirst().complete(new byte[0]);
            Thread reading = reader.get();
            slow.reconnect();
            assertThat(slow.callIfConnected(ECHO, new byte[0], LONG_MILLIS))
                    .isCompletedExceptionally();
            resolving.await();
            proceed.countDown();
            assertThat(reading.join(Duration.ofSeconds(30))).isTrue();
            response.join();
            resolve.countDown();
            await().until(slow::isConnected);
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void connections_without_a_greeting_keep_nobody_out() throws Exception {
        List<Socket> open = new CopyOnWriteArrayList<>();
        try {
            for (int i = 0; i < 200; i++) {
                open.add(stranger());
            }
            assertThat(call(ECHO, "member").get()).isEqualTo(bytes("member"));
            assertThat(isClosedByPeer(open.getFirst())).isTrue();
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    /** Opens connections that are not used. */
    private List<Socket> occupy(int count, Greeting greeting) throws IOException {
        List<Socket> open = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Socket socket = stranger();
            socket.getOutputStream().write(RpcFrame.greeting(greeting));
            assertThat(socket.getInputStream().read()).isZero(); // the acceptance
            open.add(socket);
        }
        return open;
    }

    private static void close(List<Socket> open) throws IOException {
        for (Socket socket : open) {
            socket.close();
        }
    }

    @Test
    void connections_beyond_the_maximum_are_refused() throws Exception {
        List<Socket> open = occupy(NodeRpcServer.MAX_NODE_CONNECTIONS, TestService.OPENER);
        assertThatThrownBy(() -> call(ECHO, "one more").get())
                .hasMessageContaining("too many connections");
        close(open);
        await().ignoreExceptions().until(() -> call(ECHO, "free").get().length == 4);
    }

    @Test
    void administrators_keep_no_node_out() throws Exception {
        Greeting admin = Greeting.admin("test");
        List<Socket> open = occupy(NodeRpcServer.MAX_ADMIN_CONNECTIONS, admin);
        try (Socket socket = stranger()) {
            socket.getOutputStream().write(RpcFrame.greeting(admin));
            DataInputStream in = new DataInputStream(socket.getInputStream());
            assertThatThrownBy(() -> RpcFrame.readAnswer(in))
                    .hasMessageContaining("too many connections");
        }
        assertThat(call(ECHO, "vote").get()).isEqualTo(bytes("vote"));
        close(open);
    }

    @Test
    void a_greeting_with_a_long_name_is_not_accepted() throws Exception {
        try (Socket socket = stranger()) {
            socket.getOutputStream().write(RpcFrame.greeting(Greeting.admin("x".repeat(256))));
            assertThat(isClosedByPeer(socket)).isTrue();
        }
    }

    @Test
    void a_refused_opener_gets_the_reason_and_does_not_connect() throws Exception {
        TestService service = new TestService(this::handle);
        nodeRpcServer.changeService(service);
        service.refusal = "not you";
        assertThatThrownBy(() -> call(ECHO, "x").get())
                .cause()
                .isInstanceOf(RpcRefusedException.class)
                .hasMessage("not you");
        assertThat(nodeRpcClient.isConnected()).isFalse();
        service.refusal = null;
        await().ignoreExceptions().until(() -> call(ECHO, "free").get().length == 4);
    }

    @Test
    void an_opener_that_refuses_the_acceptor_does_not_connect() {
        List<String> refused = new CopyOnWriteArrayList<>();
        int port = nodeRpcServer.address().getPort();
        var picky =
                new Handshake() {
                    @Override
                    public Greeting greeting() {
                        return TestService.OPENER;
                    }

                    @Override
                    public void check(Greeting acceptor) throws RpcRefusedException {
                        throw new RpcRefusedException("not " + acceptor.node());
                    }

                    @Override
                    public void refused(String reason) {
                        refused.add(reason);
                    }
                };
        try (NodeRpcClient other =
                new NodeRpcClient("picky", () -> loopback(port), rpcSocketFactory, picky)) {
            assertThatThrownBy(() -> other.call(ECHO, bytes("x"), LONG_MILLIS).get())
                    .hasMessageContaining("not server");
            assertThat(other.isConnected()).isFalse();
        }
        assertThat(refused).containsExactly("not server");
    }

    @Test
    void a_connection_is_closed_after_a_message_that_its_opener_may_not_send() {
        assertThatThrownBy(() -> call(REFUSE, "").get()).hasMessageContaining("no longer");
        await().until(() -> !nodeRpcClient.isConnected());
    }

    @Test
    void all_openers_greet_again_when_the_service_changes() throws Exception {
        assertThat(call(ECHO, "x").get()).hasSize(1);
        nodeRpcServer.changeService(new TestService(this::handle));
        await().until(() -> !nodeRpcClient.isConnected());
        assertThat(call(ECHO, "x").get()).hasSize(1);
    }
}
