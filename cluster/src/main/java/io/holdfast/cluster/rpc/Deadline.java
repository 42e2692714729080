package io.holdfast.cluster.rpc;

import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Closes a socket when a time limit is exceeded, unless this object is closed before. A read
 * timeout is not enough: a peer that sends a byte now and then would never exceed it.
 */
final class Deadline implements AutoCloseable {
    private final CompletableFuture<Void> met = new CompletableFuture<>();

    Deadline(Socket socket, int millis) {
        var _ =
                met.orTimeout(millis, TimeUnit.MILLISECONDS)
                        .exceptionally(
                                _ -> {
                                    close(socket);
                                    return null;
                                });
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // it is unusable in any case
        }
    }

    @Override
    public void close() {
        met.complete(null);
    }
}
