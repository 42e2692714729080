package io.holdfast.client.internal.wire;

import io.holdfast.client.internal.service.ServiceException;
import io.holdfast.client.internal.service.ServiceException.Kind;
import io.holdfast.client.internal.wire.SignalConnections.Subscriber;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A connection for subscriptions. It sends {@code listen} and {@code unlisten} one at a time until
 * the server's patterns match those of the subscribers, and starts over after the connection was
 * lost.
 */
final class SignalConnection implements PlainConnection.PlainConnectionListener {
    private final PlainServiceState serviceState;
    private final String group;
    private final Runnable onUnused;
    private final Map<String, List<Subscriber>> subscribers = new LinkedHashMap<>();
    private final Set<String> listening = new LinkedHashSet<>();
    private final ReconnectBackoff reconnectBackoff = new ReconnectBackoff();
    private PlainConnection connection;
    private boolean closed;

    /**
     * @param onUnused called when there is no subscriber any more
     */
    SignalConnection(PlainServiceState serviceState, String group, Runnable onUnused) {
        this.serviceState = serviceState;
        this.group = group;
        this.onUnused = onUnused;
        this.connection = new PlainConnection(serviceState, this);
        connection.dial(PlainConnector.Choice.SAME);
    }

    void add(Subscriber subscriber) {
        subscribers
                .computeIfAbsent(subscriber.pattern, pattern -> new ArrayList<>())
                .add(subscriber);
        if (listening.contains(subscriber.pattern)) {
            subscriber.accepted.complete(null);
        }
        step();
    }

    void remove(Subscriber subscriber) {
        List<Subscriber> all = subscribers.get(subscriber.pattern);
        if (all != null && all.remove(subscriber) && all.isEmpty()) {
            subscribers.remove(subscriber.pattern);
            step();
        }
    }

    private void step() {
        if (subscribers.isEmpty()) {
            close();
            onUnused.run();
            return;
        }
        if (!connection.isIdle()) {
            return;
        }
        for (String pattern : subscribers.keySet()) {
            if (!listening.contains(pattern)) {
                connection.send(
                        request(
                                "listen",
                                pattern,
                                response -> onListenResponse(pattern, response)));
                return;
            }
        }
        for (String pattern : listening) {
            if (!subscribers.containsKey(pattern)) {
                connection.send(
                        request("unlisten", pattern, response -> listening.remove(pattern)));
                return;
            }
        }
    }

    private void onListenResponse(String pattern, String response) {
        List<Subscriber> all = subscribers.getOrDefault(pattern, List.of());
        if (response.equals("ok")) {
            listening.add(pattern);
            for (Subscriber subscriber : List.copyOf(all)) {
                if (!subscriber.accepted.complete(null)) {
                    serviceState.executor().execute(subscriber.sink::gap);
                }
            }
            return;
        }
        for (Subscriber subscriber : List.copyOf(all)) {
            if (subscriber.accepted.completeExceptionally(serviceState.refused(response))) {
                all.remove(subscriber);
            }
        }
        if (!all.isEmpty()) {
            connection.abort(); // accepted on an earlier connection: reconnect and try again
        } else {
            subscribers.remove(pattern);
        }
    }

    @Override
    public void signal(String channel, String payload) {
        for (Map.Entry<String, List<Subscriber>> entry : List.copyOf(subscribers.entrySet())) {
            if (listening.contains(entry.getKey())
                    && SignalPattern.matches(entry.getKey(), channel)) {
                deliver(entry.getValue(), channel, payload);
            }
        }
    }

    private void deliver(List<Subscriber> all, String channel, String payload) {
        if (!group.isEmpty()) { // to one member of the group, in rotation
            Subscriber subscriber = all.remove(0);
            all.add(subscriber);
            serviceState.executor().execute(() -> subscriber.sink.signal(channel, payload));
            return;
        }
        for (Subscriber subscriber : all) {
            serviceState.executor().execute(() -> subscriber.sink.signal(channel, payload));
        }
    }

    @Override
    public void opened(PlainConnection opened) {
        step();
    }

    @Override
    public void idle(PlainConnection idle) {
        reconnectBackoff.reset();
        step();
    }

    @Override
    public void failed(PlainConnection failed, ServiceException why) {
        if (why.kind() == Kind.AUTHENTICATION) {
            subscribers
                    .values()
                    .forEach(all -> all.forEach(one -> one.accepted.completeExceptionally(why)));
        }
        dialLater();
    }

    @Override
    public void ended(PlainConnection ended, boolean abruptly) {
        listening.clear();
        dialLater();
    }

    private void dialLater() {
        if (!closed) {
            connection = new PlainConnection(serviceState, this);
            PlainConnection next = connection;
            serviceState.after(
                    reconnectBackoff.nextNanos(),
                    () -> {
                        if (!closed) {
                            next.dial(PlainConnector.Choice.SAME);
                        }
                    });
        }
    }

    void close() {
        closed = true;
        connection.close();
        ServiceException why = serviceState.failure(Kind.CLOSED, "the client was closed", null);
        subscribers
                .values()
                .forEach(all -> all.forEach(one -> one.accepted.completeExceptionally(why)));
        subscribers.clear();
    }

    private PlainRequest request(String command, String pattern, Consumer<String> onResponse) {
        return new ImmediateRequest(
                PlainRequest.lines(command, pattern, group), serviceState.readTimeoutNanos()) {
            @Override
            public void onResponse(PlainConnection by, String line) {
                onResponse.accept(line);
            }

            @Override
            void failed(ServiceException why) {}
        };
    }
}
