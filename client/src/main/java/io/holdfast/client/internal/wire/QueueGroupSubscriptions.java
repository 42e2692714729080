package io.holdfast.client.internal.wire;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.client.internal.service.LockService.SignalSubscription;
import io.holdfast.client.internal.service.ServiceConfig;
import io.holdfast.client.internal.service.ServiceEvents;
import io.holdfast.client.internal.service.SignalSink;
import io.holdfast.client.internal.service.TimerClock;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Subscriptions in queue groups, each over its own connection. A server sends a signal to a
 * connection at most once, and skips a group member whose connection has received it already. On a
 * connection with other subscriptions it would be unclear which of them a signal is for, and a
 * group could miss it.
 */
final class QueueGroupSubscriptions {
    private static final ServiceEvents NO_EVENTS =
            new ServiceEvents() {
                @Override
                public void connected() {}

                @Override
                public void suspended() {}

                @Override
                public void restored() {}

                @Override
                public void lost() {}

                @Override
                public void reconnected() {}
            };

    private final ServiceConfig config;
    private final TimerClock timerClock;

    @GuardedBy("this")
    private final Map<SessionSubscriptions.PatternAndGroup, Member> members = new HashMap<>();

    @GuardedBy("this")
    private boolean closed;

    QueueGroupSubscriptions(ServiceConfig config, TimerClock timerClock) {
        this.config =
                new ServiceConfig(
                        config.addresses(),
                        config.tls(),
                        config.authToken(),
                        config.connectTimeout(),
                        config.readTimeout(),
                        Duration.ZERO,
                        config.label(),
                        config.maxConnections(),
                        config.plain(),
                        config.executor());
        this.timerClock = timerClock;
    }

    /** A connection and the number of its subscriptions. */
    private static final class Member {
        private final TaggedService service;
        private int listeners;

        Member(TaggedService service) {
            this.service = service;
        }
    }

    synchronized SignalSubscription listen(
            SessionSubscriptions.PatternAndGroup patternAndGroup, SignalSink sink) {
        Member member =
                members.computeIfAbsent(
                        patternAndGroup,
                        unused -> new Member(TaggedService.dialing(config, NO_EVENTS, timerClock)));
        if (closed) {
            member.service.startClose();
        }
        member.listeners++;
        SignalSubscription inner = member.service.listenHere(patternAndGroup, sink);
        var open = new AtomicBoolean(true);
        return new SignalSubscription() {
            @Override
            public CompletableFuture<Void> accepted() {
                return inner.accepted();
            }

            @Override
            public void close() {
                if (open.getAndSet(false)) {
                    inner.close();
                    removeListener(patternAndGroup, member);
                }
            }
        };
    }

    private synchronized void removeListener(
            SessionSubscriptions.PatternAndGroup patternAndGroup, Member member) {
        member.listeners--;
        if (member.listeners == 0) {
            members.remove(patternAndGroup, member);
            member.service.startClose();
        }
    }

    void close() {
        List<Member> open;
        synchronized (this) {
            closed = true;
            open = List.copyOf(members.values());
            members.clear();
        }
        open.forEach(member -> member.service.startClose());
        open.forEach(member -> member.service.close());
    }
}
