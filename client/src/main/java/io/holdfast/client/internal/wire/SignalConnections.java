package io.holdfast.client.internal.wire;

import io.holdfast.client.internal.service.LockService.SignalSubscription;
import io.holdfast.client.internal.service.ServiceException.Kind;
import io.holdfast.client.internal.service.SignalSink;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The connections for subscriptions: one for all subscriptions without a group, and one for each
 * pattern and group. The server sends a signal to a connection only once, without the subscription
 * that it is for, so groups need separate connections.
 */
final class SignalConnections {
    private final PlainServiceState serviceState;
    private final Map<String, SignalConnection> byName = new LinkedHashMap<>();
    private boolean closed;

    SignalConnections(PlainServiceState serviceState) {
        this.serviceState = serviceState;
    }

    int connections() {
        return byName.size();
    }

    SignalSubscription listen(String pattern, String group, SignalSink sink) {
        var subscriber = new Subscriber(pattern, group, sink);
        serviceState.executor().execute(() -> add(subscriber));
        return subscriber;
    }

    private void add(Subscriber subscriber) {
        if (closed) {
            subscriber.accepted.completeExceptionally(
                    serviceState.failure(Kind.CLOSED, "the client was closed", null));
            return;
        }
        String name = subscriber.connectionName();
        byName.computeIfAbsent(
                        name,
                        unused ->
                                new SignalConnection(
                                        serviceState, subscriber.group, () -> drop(name)))
                .add(subscriber);
    }

    private void drop(String name) {
        byName.remove(name);
    }

    void close() {
        closed = true;
        List.copyOf(byName.values()).forEach(SignalConnection::close);
        byName.clear();
    }

    /** A subscription of a user. */
    final class Subscriber implements SignalSubscription {
        final String pattern;
        private final String group;
        final SignalSink sink;
        final CompletableFuture<Void> accepted = new CompletableFuture<>();

        Subscriber(String pattern, String group, SignalSink sink) {
            this.pattern = pattern;
            this.group = group;
            this.sink = sink;
        }

        /** Unique, because patterns contain no spaces. */
        private String connectionName() {
            return group.isEmpty() ? "" : pattern + " " + group;
        }

        @Override
        public CompletableFuture<Void> accepted() {
            return accepted;
        }

        @Override
        public void close() {
            serviceState
                    .executor()
                    .execute(
                            () -> {
                                SignalConnection signalConnection = byName.get(connectionName());
                                if (signalConnection != null) {
                                    signalConnection.remove(this);
                                }
                                accepted.cancel(false);
                            });
        }
    }
}
