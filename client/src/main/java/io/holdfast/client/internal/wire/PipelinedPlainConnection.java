package io.holdfast.client.internal.wire;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.client.internal.service.ServiceConfig;
import io.holdfast.client.internal.service.ServiceException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A plain connection. Responses are matched to requests in order; signals are queued separately.
 * Never pings.
 */
public final class PipelinedPlainConnection implements AutoCloseable {
    private static final int CAPACITY = 1024;

    private final LineSocket socket;
    private final BlockingQueue<String> signals = new ArrayBlockingQueue<>(CAPACITY);

    @GuardedBy("this")
    private final ArrayDeque<CompletableFuture<String>> pendingReplies = new ArrayDeque<>();

    @GuardedBy("this")
    private @Nullable ServiceException broken;

    private PipelinedPlainConnection(LineSocket socket) {
        this.socket = socket;
    }

    /** Connects and authenticates to the first address that can be reached. */
    public static PipelinedPlainConnection open(ServiceConfig config) throws ServiceException {
        @Nullable ServiceException failure = null;
        for (var address : config.addresses()) {
            try {
                var socket = LineSocket.dial(config, address);
                boolean up = false;
                try {
                    socket.authenticate(config.authToken());
                    socket.readTimeout(Duration.ZERO);
                    up = true;
                } finally {
                    if (!up) {
                        socket.close();
                    }
                }
                var connection = new PipelinedPlainConnection(socket);
                config.executor().execute(connection::read);
                return connection;
            } catch (ServiceException e) {
                failure = e;
            } catch (IOException e) {
                failure =
                        LineSocket.unreachable(
                                LineSocket.text(address), ConnectionFailureText.reason(e), e);
            }
        }
        throw failure != null
                ? failure
                : LineSocket.unreachable("no server address", "no address", null);
    }

    public String address() {
        return socket.address();
    }

    /** Sends a request. Completes with the response or a {@link ServiceException}. */
    public CompletableFuture<String> send(String command, String key, String argument) {
        var response = new CompletableFuture<String>();
        synchronized (this) {
            if (broken != null) {
                response.completeExceptionally(
                        failure(ServiceException.Kind.UNREACHABLE, broken.getMessage()));
                return response;
            }
            pendingReplies.add(response);
        }
        try {
            socket.write(command, key, argument);
        } catch (IOException e) {
            end(ConnectionFailureText.reason(e));
        }
        return response;
    }

    /** The next signal line; empty at the timeout. */
    public Optional<String> nextSignal(Duration timeout) throws InterruptedException {
        return Optional.ofNullable(signals.poll(timeout.toNanos(), TimeUnit.NANOSECONDS));
    }

    private void read() {
        try {
            while (true) {
                var line = socket.readLine();
                if (line.startsWith("sig ")) {
                    while (!signals.offer(line)) {
                        signals.poll();
                    }
                    continue;
                }
                CompletableFuture<String> next;
                synchronized (this) {
                    next = pendingReplies.poll();
                }
                if (next == null) {
                    end("unexpected response");
                    return;
                }
                next.complete(line);
            }
        } catch (IOException e) {
            end(ConnectionFailureText.reason(e));
        }
    }

    private void end(@Nullable String why) {
        ArrayDeque<CompletableFuture<String>> left;
        var failure =
                failure(
                        ServiceException.Kind.OUTCOME_UNKNOWN,
                        "the connection to " + address() + " ended: " + why);
        synchronized (this) {
            if (broken == null) {
                broken = failure;
            }
            left = new ArrayDeque<>(pendingReplies);
            pendingReplies.clear();
        }
        socket.close();
        left.forEach(response -> response.completeExceptionally(failure));
    }

    private static ServiceException failure(ServiceException.Kind kind, @Nullable String why) {
        return new ServiceException(kind, String.valueOf(why), "", null);
    }

    @Override
    public void close() {
        end("closed");
    }
}
