package io.holdfast.cluster.link;

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
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;

/** Answers the calls of other nodes: a thread for each connection, and calls begin in order. */
public final class Answerer implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Answerer.class);
    private static final int MOST_CONNECTIONS = 64;

    /** Does what is called for. */
    public interface Handler {
        /**
         * Begins a call.
         *
         * @return the answer; null if there is nothing to say, now or later
         * @throws IOException what is answered then
         */
        @Nullable CompletableFuture<byte[]> handle(byte kind, byte[] body) throws IOException;
    }

    private final ServerSocket listening;
    private final Sockets sockets;
    private final Handler handler;
    private final int greetingMillis;
    private final ThreadFactory threads;
    private final Semaphore room = new Semaphore(MOST_CONNECTIONS);
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    public Answerer(String name, InetSocketAddress address, Sockets sockets, Handler handler)
            throws IOException {
        this(
                name,
                address,
                sockets,
                handler,
                Sockets.GREETING_MILLIS,
                Thread.ofPlatform().daemon().name(name).factory());
    }

    /**
     * @param greetingMillis how long the other side may take to prove who it is
     * @param threads a thread for each connection
     */
    Answerer(
            String name,
            InetSocketAddress address,
            Sockets sockets,
            Handler handler,
            int greetingMillis,
            ThreadFactory threads)
            throws IOException {
        this.sockets = sockets;
        this.handler = handler;
        this.greetingMillis = greetingMillis;
        this.threads = threads;
        this.listening = sockets.listen(address);
        Thread.ofPlatform().daemon().name(name + "-accept").start(this::accept);
    }

    /** Whatever fails, it goes on: without it the node would be cut off until its restart. */
    private void accept() {
        boolean failing = false;
        while (!closed) {
            try {
                begin(listening.accept());
                failing = false;
            } catch (IOException | RuntimeException | Error e) {
                if (!closed) {
                    LOG.atLevel(failing ? Level.DEBUG : Level.WARN)
                            .addKeyValue("reason", e)
                            .log("could not accept a connection from another node; retrying");
                    failing = true;
                    pause();
                }
            }
        }
    }

    private void begin(Socket socket) throws IOException {
        if (!room.tryAcquire()) {
            socket.close();
            return;
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

    private void end(Socket socket) {
        open.remove(socket);
        room.release();
    }

    /** The process may be out of descriptors or threads for a while. */
    private static void pause() {
        try {
            Thread.sleep(10);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            Link link = sockets.accepted(socket, greetingMillis);
            while (!closed) {
                answer(link, link.read());
            }
        } catch (IOException | RuntimeException e) {
            LOG.atDebug().setCause(e).log("a connection of a node ended");
        } finally {
            end(socket);
        }
    }

    private void answer(Link link, Frame frame) {
        CompletableFuture<byte[]> answer;
        try {
            answer = handler.handle(frame.kind, frame.body);
        } catch (IOException | RuntimeException e) {
            answer = CompletableFuture.failedFuture(e);
        }
        if (answer != null) {
            answer.whenComplete(
                    (body, failure) -> {
                        if (failure == null) {
                            send(link, Frame.DONE, frame.call, body);
                        } else {
                            send(link, Frame.FAILED, frame.call, text(failure));
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

    private static void send(Link link, byte kind, long call, byte[] body) {
        try {
            link.send(kind, call, body);
        } catch (IOException e) {
            link.close(); // whoever called finds out by that
        }
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) listening.getLocalSocketAddress();
    }

    @Override
    public void close() throws IOException {
        closed = true;
        listening.close();
        for (Socket socket : open) {
            socket.close();
        }
    }
}
