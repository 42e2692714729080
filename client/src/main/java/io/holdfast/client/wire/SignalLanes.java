package io.holdfast.client.wire;

import io.holdfast.client.service.LockService.Listening;
import io.holdfast.client.service.ServiceException.Kind;
import io.holdfast.client.service.SignalSink;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The connections that listen: one for all who listen alone, one for each group of a pattern. The
 * server sends a connection one copy of a signal and does not say for whom, so that members of
 * groups must stay apart.
 */
final class SignalLanes {
    private final PlainContext context;
    private final Map<String, SignalLane> lanes = new LinkedHashMap<>();
    private boolean closed;

    SignalLanes(PlainContext context) {
        this.context = context;
    }

    int connections() {
        return lanes.size();
    }

    Listening listen(String pattern, String group, SignalSink sink) {
        var subscriber = new Subscriber(pattern, group, sink);
        context.turns().execute(() -> add(subscriber));
        return subscriber;
    }

    private void add(Subscriber subscriber) {
        if (closed) {
            subscriber.accepted.completeExceptionally(
                    context.failure(Kind.CLOSED, "the client was closed", null));
            return;
        }
        String name = subscriber.lane();
        lanes.computeIfAbsent(
                        name, unused -> new SignalLane(context, subscriber.group, () -> drop(name)))
                .add(subscriber);
    }

    private void drop(String name) {
        lanes.remove(name);
    }

    void close() {
        closed = true;
        List.copyOf(lanes.values()).forEach(SignalLane::close);
        lanes.clear();
    }

    /** Somebody who listens. */
    final class Subscriber implements Listening {
        final String pattern;
        private final String group;
        final SignalSink sink;
        final CompletableFuture<Void> accepted = new CompletableFuture<>();

        Subscriber(String pattern, String group, SignalSink sink) {
            this.pattern = pattern;
            this.group = group;
            this.sink = sink;
        }

        /** Patterns have no blanks. */
        private String lane() {
            return group.isEmpty() ? "" : pattern + " " + group;
        }

        @Override
        public CompletableFuture<Void> accepted() {
            return accepted;
        }

        @Override
        public void close() {
            context.turns()
                    .execute(
                            () -> {
                                SignalLane lane = lanes.get(lane());
                                if (lane != null) {
                                    lane.remove(this);
                                }
                                accepted.cancel(false);
                            });
        }
    }
}
