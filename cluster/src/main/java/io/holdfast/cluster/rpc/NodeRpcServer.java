package io.holdfast.cluster.rpc;

import io.holdfast.driver.FailureText;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.function.Predicate;

/**
 * Handles the calls of other nodes: one thread for each connection, which starts its calls in
 * order.
 *
 * <p>A connection counts towards the maximum when it has sent its greeting, and with TLS its
 * certificate. Before that it may be displaced by newer ones: strangers that send nothing cannot
 * keep other nodes out, whose greeting arrives within a round trip or two. Administrators, who need
 * not be members, have a maximum of their own.
 */
public final class NodeRpcServer implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeRpcServer.class);
    static final int MAX_NODE_CONNECTIONS = 64;
    static final int MAX_ADMIN_CONNECTIONS = 32;
    private static final int MAX_BEFORE_GREETING = 64;
    private static final Duration ACCEPTOR_END = Duration.ofSeconds(2);

    /** What this side is for others. Thread-safe. */
    public interface Service {
        /** The answer to an opener that is not refused. */
        Greeting greeting();

        /**
         * Decides about a connection.
         *
         * @return executes the calls of the opener
         * @throws RpcRefusedException sent to the opener as the reason
         * @throws IOException if the opener is to try again
         */
        Handler accept(Greeting opener) throws IOException;
    }

    /** Executes the calls over one connection. */
    public interface Handler {
        /**
         * Starts a call.
         *
         * @return the response; null if the message has none
         * @throws IOException sent as a failure; after a {@link RpcRefusedException} the connection
         *     is closed
         */
        @Nullable CompletableFuture<byte[]> handle(byte kind, byte[] body) throws IOException;
    }

    private final ServerSocket listening;
    private final RpcSocketFactory rpcSocketFactory;
    private final AdminAccess adminAccess;
    private volatile Service service;
    private final int greetingMillis;
    private final ThreadFactory threads;
    private final Thread acceptor;
    private final Semaphore nodePermits = new Semaphore(MAX_NODE_CONNECTIONS);
    private final Semaphore adminPermits = new Semaphore(MAX_ADMIN_CONNECTIONS);
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    /** The openers of the accepted connections of nodes. */
    private final Map<Socket, Greeting> nodes = new ConcurrentHashMap<>();

    /** Connections before the end of their greeting, the oldest first; guarded by itself. */
    private final Deque<Socket> beforeGreeting = new ArrayDeque<>();

    private volatile boolean closed;

    public NodeRpcServer(
            String name,
            InetSocketAddress address,
            RpcSocketFactory rpcSocketFactory,
            AdminAccess adminAccess,
            Service service)
            throws IOException {
        this(
                name,
                address,
                rpcSocketFactory,
                adminAccess,
                service,
                RpcSocketFactory.GREETING_MILLIS,
                Thread.ofPlatform().daemon().name(name).factory());
    }

    /**
     * @param greetingMillis the maximum time for the TLS handshake and the greeting of a client
     * @param threads creates a thread for each connection
     */
    NodeRpcServer(
            String name,
            InetSocketAddress address,
            RpcSocketFactory rpcSocketFactory,
            AdminAccess adminAccess,
            Service service,
            int greetingMillis,
            ThreadFactory threads)
            throws IOException {
        this.rpcSocketFactory = rpcSocketFactory;
        this.adminAccess = adminAccess;
        this.service = service;
        this.greetingMillis = greetingMillis;
        this.threads = threads;
        this.listening = rpcSocketFactory.listen(address);
        this.acceptor = Thread.ofPlatform().daemon().name(name + "-accept").start(this::accept);
    }

    /** Continues after every failure: otherwise the node could not be reached until its restart. */
    private void accept() {
        boolean failing = false;
        while (!closed) {
            try {
                begin(listening.accept());
                failing = false;
            } catch (IOException | RuntimeException | Error e) {
                if (!closed) {
                    LOG.atLevel(failing ? Level.DEBUG : Level.WARN)
                            .addKeyValue("reason", FailureText.of(e))
                            .log("could not accept a connection from another node; retrying");
                    failing = true;
                    pause();
                }
            }
        }
    }

    private void begin(Socket socket) throws IOException {
        Socket displaced = addBeforeGreeting(socket);
        if (displaced != null) {
            displaced.close();
        }
        open.add(socket);
        boolean started = false;
        try {
            threads.newThread(() -> serve(socket)).start();
            started = true;
        } finally {
            if (!started) {
                end(socket);
                socket.close();
            }
        }
    }

    /** Returns the connection to close in its place, or null. */
    private @Nullable Socket addBeforeGreeting(Socket socket) {
        synchronized (beforeGreeting) {
            beforeGreeting.addLast(socket);
            return beforeGreeting.size() > MAX_BEFORE_GREETING
                    ? beforeGreeting.removeFirst()
                    : null;
        }
    }

    private void end(Socket socket) {
        removeBeforeGreeting(socket);
        open.remove(socket);
        nodes.remove(socket);
    }

    private void removeBeforeGreeting(Socket socket) {
        synchronized (beforeGreeting) {
            beforeGreeting.remove(socket);
        }
    }

    /** Waits after a failure: the process may be out of file descriptors or threads for a while. */
    private static void pause() {
        try {
            Thread.sleep(10);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            RpcSocketFactory.Accepted accepted = rpcSocketFactory.accepted(socket, greetingMillis);
            removeBeforeGreeting(socket);
            Semaphore permits =
                    switch (accepted.opener().kind()) {
                        case NODE -> nodePermits;
                        case ADMIN -> adminPermits;
                    };
            if (!permits.tryAcquire()) {
                accepted.connection().refuse("the node has too many connections");
                return;
            }
            try {
                serve(socket, accepted.connection(), accepted.opener());
            } finally {
                permits.release();
            }
        } catch (IOException | RuntimeException e) {
            LOG.atDebug().setCause(e).log("connection from a peer closed");
        } finally {
            end(socket);
        }
    }

    private void serve(Socket socket, RpcConnection rpcConnection, Greeting opener)
            throws IOException {
        Service now = service;
        Handler handler;
        try {
            handler = now.accept(opener);
            rpcConnection.accept(opener, now.greeting());
        } catch (RpcRefusedException e) {
            rpcConnection.refuse(String.valueOf(e.getMessage()));
            return;
        }
        if (opener.kind() == Greeting.Kind.NODE) {
            nodes.put(socket, opener);
        } else if (!rpcSocketFactory.isSecure()) {
            handler = adminAccess.guard(handler, socket.getInetAddress().getHostAddress());
        }
        while (!closed) {
            respond(handler, rpcConnection, rpcConnection.read());
        }
    }

    private static void respond(Handler handler, RpcConnection rpcConnection, RpcFrame rpcFrame) {
        CompletableFuture<byte[]> response;
        try {
            response = handler.handle(rpcFrame.kind, rpcFrame.body);
        } catch (RpcRefusedException e) {
            send(rpcConnection, RpcFrame.FAILED, rpcFrame.call, text(e));
            rpcConnection.close();
            return;
        } catch (IOException | RuntimeException e) {
            response = CompletableFuture.failedFuture(e);
        }
        if (response != null) {
            response.whenComplete(
                    (body, failure) -> {
                        if (failure == null) {
                            send(rpcConnection, RpcFrame.DONE, rpcFrame.call, body);
                        } else {
                            send(rpcConnection, RpcFrame.FAILED, rpcFrame.call, text(failure));
                        }
                    });
        }
    }

    private static byte[] text(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null
                        ? failure.getCause()
                        : failure;
        return String.valueOf(cause.getMessage()).getBytes(StandardCharsets.UTF_8);
    }

    private static void send(RpcConnection rpcConnection, byte kind, long call, byte[] body) {
        try {
            rpcConnection.send(kind, call, body);
        } catch (IOException e) {
            rpcConnection.close(); // the caller notices the closed connection
        }
    }

    /** Changes what this side is for others: all openers connect and greet again. */
    public void changeService(Service next) throws IOException {
        service = next;
        closeAll();
    }

    /** Closes accepted connections of nodes, by their greetings. */
    public void closeNodes(Predicate<Greeting> isRefused) {
        nodes.forEach(
                (socket, opener) -> {
                    if (isRefused.test(opener)) {
                        close(socket);
                    }
                });
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.atDebug().setCause(e).log("could not close a connection from a peer");
        }
    }

    private void closeAll() throws IOException {
        for (Socket socket : open) {
            socket.close();
        }
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) listening.getLocalSocketAddress();
    }

    @Override
    public void close() throws IOException {
        closed = true;
        listening.close();
        closeAll();
        try { // the port is free when no thread waits for a connection any more
            boolean _ = acceptor.join(ACCEPTOR_END);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
