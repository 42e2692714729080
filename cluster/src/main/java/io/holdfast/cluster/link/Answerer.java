package io.holdfast.cluster.link;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

/** Answers the calls of other nodes: a thread for each connection, and calls begin in order. */
public final class Answerer implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Answerer.class);
    private static final int BEGIN_MILLIS = 5000;
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
    private final String name;
    private final Semaphore room = new Semaphore(MOST_CONNECTIONS);
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    public Answerer(String name, InetSocketAddress address, Sockets sockets, Handler handler)
            throws IOException {
        this.name = name;
        this.sockets = sockets;
        this.handler = handler;
        this.listening = sockets.listen(address);
        Thread.ofPlatform().daemon().name(name + "-accept").start(this::accept);
    }

    private void accept() {
        while (!closed) {
            try {
                Socket socket = listening.accept();
                if (!room.tryAcquire()) {
                    socket.close();
                    continue;
                }
                open.add(socket);
                Thread.ofPlatform().daemon().name(name).start(() -> serve(socket));
            } catch (IOException e) {
                if (!closed) {
                    LOG.atDebug().setCause(e).log("a connection of a node was not accepted");
                    pause();
                }
            }
        }
    }

    /** The process may be out of descriptors for a while. */
    private static void pause() {
        try {
            Thread.sleep(10);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            Link link = sockets.accepted(socket, BEGIN_MILLIS);
            while (!closed) {
                answer(link, link.read());
            }
        } catch (IOException | RuntimeException e) {
            LOG.atDebug().setCause(e).log("a connection of a node ended");
        } finally {
            open.remove(socket);
            room.release();
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
