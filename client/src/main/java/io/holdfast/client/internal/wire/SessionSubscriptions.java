package io.holdfast.client.internal.wire;

import io.holdfast.client.internal.service.LockService.SignalSubscription;
import io.holdfast.client.internal.service.ServiceException;
import io.holdfast.client.internal.service.SignalSink;
import io.holdfast.client.internal.thread.SerialExecutor;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The subscriptions of one session. Each pattern and group is sent to the server once. The server
 * sends a signal once, however many patterns it matches, so it is matched here again. Everything
 * runs in the session's {@link SerialExecutor}.
 */
final class SessionSubscriptions {
    /** A pattern and a queue group; an empty group means none. */
    record PatternAndGroup(String pattern, String group) {}

    private final ClientSession clientSession;
    private final Map<PatternAndGroup, Topic> topics = new LinkedHashMap<>();

    SessionSubscriptions(ClientSession clientSession) {
        this.clientSession = clientSession;
    }

    /** Callable on any thread. */
    SignalSubscription listen(PatternAndGroup patternAndGroup, SignalSink sink, long timeoutNanos) {
        var subscription = new Subscription(patternAndGroup, sink);
        clientSession.run(() -> add(subscription, timeoutNanos));
        return subscription;
    }

    private void add(Subscription subscription, long timeoutNanos) {
        if (clientSession.isClosing()) {
            subscription.accepted.completeExceptionally(clientSession.closed());
            return;
        }
        Topic topic = topics.computeIfAbsent(subscription.patternAndGroup, Topic::new);
        topic.subscriptions.add(subscription);
        if (topic.listening) {
            subscription.nowListening();
        } else if (clientSession.isOnline() && !topic.requested) {
            sendListen(topic);
        }
        var timer =
                clientSession
                        .clock()
                        .schedule(
                                timeoutNanos,
                                () ->
                                        subscription.accepted.completeExceptionally(
                                                clientSession.unreachable()));
        subscription.accepted.whenComplete((unused, unusedToo) -> timer.cancel());
    }

    private void remove(Subscription subscription) {
        Topic topic = topics.get(subscription.patternAndGroup);
        if (topic != null
                && topic.subscriptions.remove(subscription)
                && topic.subscriptions.isEmpty()) {
            topics.remove(subscription.patternAndGroup);
            if (topic.requested && clientSession.isOnline()) {
                clientSession.sendCommand(
                        "unlisten",
                        topic.patternAndGroup.pattern(),
                        topic.patternAndGroup.group(),
                        unused -> {});
            }
        }
    }

    private void sendListen(Topic topic) {
        topic.requested = true;
        clientSession.sendCommand(
                "listen",
                topic.patternAndGroup.pattern(),
                topic.patternAndGroup.group(),
                topic::onResponse);
    }

    void connected() {
        for (Topic topic : List.copyOf(topics.values())) {
            sendListen(topic);
        }
    }

    void disconnected() {
        for (Topic topic : topics.values()) {
            topic.requested = false;
            topic.listening = false;
        }
    }

    void closed(ServiceException why) {
        for (Topic topic : topics.values()) {
            for (Subscription subscription : topic.subscriptions) {
                subscription.accepted.completeExceptionally(why);
            }
        }
        topics.clear();
    }

    /** Handles a {@code sig} line, given without its first field. */
    void signal(String line) throws BadLineException {
        int space = line.indexOf(' ');
        if (space < 0) {
            throw new BadLineException("a signal without a payload");
        }
        String channel = line.substring(0, space);
        String payload = line.substring(space + 1);
        for (Topic topic : List.copyOf(topics.values())) {
            if (matches(topic.patternAndGroup.pattern(), channel)) {
                topic.signal(channel, payload);
            }
        }
    }

    /** {@code *} matches one part, {@code >} at the end one or more. */
    static boolean matches(String pattern, String channel) {
        String[] patternParts = pattern.split("\\.", -1);
        String[] parts = channel.split("\\.", -1);
        for (int i = 0; i < patternParts.length; i++) {
            if (i == parts.length) {
                return false;
            }
            if (patternParts[i].equals(">") && i == patternParts.length - 1) {
                return true;
            }
            if (!patternParts[i].equals("*") && !patternParts[i].equals(parts[i])) {
                return false;
            }
        }
        return patternParts.length == parts.length;
    }

    /** A pattern and group, with all its subscriptions. */
    private final class Topic {
        private final PatternAndGroup patternAndGroup;
        private final List<Subscription> subscriptions = new ArrayList<>();
        private boolean requested;
        private boolean listening;
        private int turn;

        Topic(PatternAndGroup patternAndGroup) {
            this.patternAndGroup = patternAndGroup;
        }

        void onResponse(String response) {
            if (response.equals("ok")) {
                listening = true;
                List.copyOf(subscriptions).forEach(Subscription::nowListening);
                return;
            }
            var why = clientSession.refused(response);
            requested = false;
            for (Subscription subscription : List.copyOf(subscriptions)) {
                if (subscription.accepted.completeExceptionally(why)) {
                    subscriptions.remove(subscription);
                }
            }
            if (subscriptions.isEmpty()) {
                topics.remove(patternAndGroup, this);
            }
        }

        /** Delivers to all subscriptions, or to one member of a group in rotation. */
        void signal(String channel, String payload) {
            if (patternAndGroup.group().isEmpty()) {
                for (Subscription subscription : List.copyOf(subscriptions)) {
                    subscription.signal(channel, payload);
                }
            } else if (!subscriptions.isEmpty()) {
                turn = (turn + 1) % subscriptions.size();
                subscriptions.get(turn).signal(channel, payload);
            }
        }
    }

    /** A subscription of a user. */
    private final class Subscription implements SignalSubscription {
        private final PatternAndGroup patternAndGroup;
        private final SignalSink sink;
        private final CompletableFuture<Void> accepted = new CompletableFuture<>();
        private boolean listened;

        Subscription(PatternAndGroup patternAndGroup, SignalSink sink) {
            this.patternAndGroup = patternAndGroup;
            this.sink = sink;
        }

        @SuppressWarnings("NullAway") // the one value that a Void can have
        void nowListening() {
            accepted.complete(null);
            if (listened) {
                SerialExecutor.guard(sink::gap);
            }
            listened = true;
        }

        void signal(String channel, String payload) {
            SerialExecutor.guard(() -> sink.signal(channel, payload));
        }

        @Override
        public CompletableFuture<Void> accepted() {
            return accepted;
        }

        @Override
        public void close() {
            clientSession.run(
                    () -> {
                        remove(this);
                        accepted.completeExceptionally(clientSession.closed());
                    });
        }
    }
}
