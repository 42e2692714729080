package io.holdfast.client.testing.internal;

import io.holdfast.client.internal.service.AcquireAttempt;
import io.holdfast.client.internal.service.AcquireOutcome;
import io.holdfast.client.internal.service.AcquireRequest;
import io.holdfast.client.internal.service.AcquireRequest.Kind;
import io.holdfast.client.internal.service.GrantedHold.Loss;
import io.holdfast.client.internal.service.LockService;
import io.holdfast.client.internal.service.ServiceEvents;
import io.holdfast.client.internal.service.ServiceException;
import io.holdfast.client.internal.service.ServiceFeatures;
import io.holdfast.client.internal.service.SignalSink;
import io.holdfast.client.internal.service.TimerClock;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The connection of one client to a {@link MemoryServer}, which can be cut. Guarded by the server's
 * monitor.
 */
public final class MemoryService implements LockService {
    final MemoryServer server;
    final String label;
    private final ServiceFeatures serviceFeatures;
    private final long graceNanos;
    private final ServiceEvents events;
    private final Set<MemoryAttempt> attempts = new LinkedHashSet<>();
    private final Set<MemoryHold> holds = new LinkedHashSet<>();
    private final Set<MemoryHold> unreleased = new LinkedHashSet<>();
    private final Set<MemorySignals.Listener> listeners = new LinkedHashSet<>();
    private volatile boolean connected = true;
    private boolean closed;

    /** The number of the session; 0 while there is none. */
    private long session;

    private TimerClock.@Nullable Timer graceEnd;

    MemoryService(
            MemoryServer server,
            String label,
            ServiceFeatures serviceFeatures,
            long graceNanos,
            ServiceEvents events) {
        this.server = server;
        this.label = label;
        this.serviceFeatures = serviceFeatures;
        this.graceNanos = serviceFeatures.resume() ? graceNanos : 0;
        this.events = events;
        session = server.nextSession();
    }

    @Override
    public String address() {
        return "memory";
    }

    @Override
    public ServiceFeatures features() {
        return serviceFeatures;
    }

    @Override
    public TimerClock clock() {
        return server.clock;
    }

    long session() {
        return session;
    }

    boolean isConnected() {
        return connected;
    }

    /** Cuts the connection; the server keeps the session for the grace period. */
    public void disconnect() {
        locked(
                () -> {
                    if (connected && !closed) {
                        connected = false;
                        listeners.forEach(server.signals::remove);
                        server.effect(events::suspended);
                        if (graceNanos == 0) {
                            loseSession();
                        } else {
                            graceEnd =
                                    server.clock.schedule(
                                            graceNanos, () -> locked(this::loseSession));
                        }
                    }
                });
    }

    /** Reconnects: resumes the session if it has not ended, otherwise starts a new one. */
    public void reconnect() {
        locked(
                () -> {
                    if (!connected && !closed) {
                        connected = true;
                        boolean resumed = session != 0;
                        if (graceEnd != null) {
                            graceEnd.cancel();
                        }
                        if (!resumed) {
                            session = server.nextSession();
                        }
                        server.effect(resumed ? events::restored : events::reconnected);
                        reconcile();
                        listeners.forEach(server.signals::add);
                        listeners.forEach(each -> server.effect(each.sink()::gap));
                    }
                });
    }

    /** Ends the session at once and reconnects with a new one. */
    public void dropSession() {
        disconnect();
        locked(this::loseSession);
        reconnect();
    }

    private void loseSession() {
        if (session == 0 || closed) {
            return;
        }
        session = 0;
        for (var hold : List.copyOf(holds)) {
            if (!hold.unbound) {
                hold.reportLoss(Loss.CONNECTION);
            }
        }
        server.effect(events::lost);
        endSession();
    }

    /** What the server does when a session ends. */
    private void endSession() {
        for (var attempt : List.copyOf(attempts)) {
            server.leaveQueue(attempt);
        }
        for (var attempt : List.copyOf(attempts)) {
            var undelivered = attempt.undeliveredGrant;
            if (undelivered != null) {
                attempt.undeliveredGrant = null;
                server.end(undelivered, Loss.CONNECTION);
            }
            if (attempt.cancelled) {
                end(attempt, new AcquireOutcome.Cancelled());
            }
        }
        for (var hold : List.copyOf(holds)) {
            hold.session = 0;
            if (!hold.unbound) {
                server.end(hold, Loss.CONNECTION);
                holds.remove(hold);
                unreleased.remove(hold);
            }
        }
    }

    private void reconcile() {
        for (var hold : List.copyOf(holds)) {
            if (hold.ended != null) {
                hold.reportLoss(hold.ended);
                holds.remove(hold);
            }
        }
        for (var hold : List.copyOf(unreleased)) {
            server.end(hold, Loss.RELEASED);
        }
        unreleased.clear();
        for (var attempt : List.copyOf(attempts)) {
            var undelivered = attempt.undeliveredGrant;
            attempt.undeliveredGrant = null;
            if (undelivered != null && undelivered.live) {
                holds.add(undelivered);
                end(attempt, new AcquireOutcome.Granted(undelivered));
            } else if (attempt.cancelled) {
                server.leaveQueue(attempt);
                end(attempt, new AcquireOutcome.Cancelled());
            } else if (!server.isQueued(attempt)) {
                attempt.requestedAt = server.clock.nanoTime();
                server.acquire(attempt);
            }
        }
    }

    @Override
    public AcquireAttempt acquire(AcquireRequest what, Consumer<AcquireOutcome> done) {
        return server.locked(
                () -> {
                    var attempt = new MemoryAttempt(this, what, done, server.clock.nanoTime());
                    if (closed) {
                        attempt.end(new AcquireOutcome.Failed(closedFailure()));
                    } else if (!supports(what)) {
                        attempt.end(
                                new AcquireOutcome.Failed(
                                        failure(
                                                ServiceException.Kind.UNSUPPORTED,
                                                "not supported by a plain dflockd")));
                    } else if (!connected && what.waitNanos() == 0) {
                        attempt.end(new AcquireOutcome.Failed(unreachable()));
                    } else {
                        attempts.add(attempt);
                        if (attempt.deadline != Long.MAX_VALUE && what.waitNanos() > 0) {
                            attempt.timer =
                                    server.clock.schedule(
                                            what.waitNanos(), () -> locked(() -> expire(attempt)));
                        }
                        if (connected) {
                            server.acquire(attempt);
                        }
                        attempts.removeIf(each -> each.ended);
                    }
                    return attempt;
                });
    }

    private boolean supports(AcquireRequest what) {
        return (what.kind() != Kind.READ || serviceFeatures.readWrite())
                && (!what.unbound() || serviceFeatures.unbound());
    }

    private void expire(MemoryAttempt attempt) {
        var undelivered = attempt.undeliveredGrant;
        if (undelivered == null) {
            server.leaveQueue(attempt);
        } else { // released at the next reconnect
            attempt.undeliveredGrant = null;
            undelivered.released = true;
            holds.add(undelivered);
            unreleased.add(undelivered);
        }
        end(attempt, new AcquireOutcome.TimedOut());
    }

    void cancel(MemoryAttempt attempt) {
        locked(
                () -> {
                    attempt.cancelled = true;
                    if (connected || (session == 0 && attempt.undeliveredGrant == null)) {
                        server.leaveQueue(attempt);
                        end(attempt, new AcquireOutcome.Cancelled());
                    }
                });
    }

    private void end(MemoryAttempt attempt, AcquireOutcome acquireOutcome) {
        attempts.remove(attempt);
        attempt.end(acquireOutcome);
    }

    void granted(MemoryAttempt attempt, MemoryHold hold) {
        if (connected) {
            holds.add(hold);
            end(attempt, new AcquireOutcome.Granted(hold));
        } else {
            attempt.undeliveredGrant = hold;
        }
    }

    void ended(MemoryHold hold) {
        if (connected && hold.ended != null) {
            hold.reportLoss(hold.ended);
            holds.remove(hold);
        }
    }

    CompletableFuture<Long> renew(MemoryHold hold, long leaseNanos) {
        return server.locked(
                () -> {
                    if (closed) {
                        return CompletableFuture.failedFuture(closedFailure());
                    }
                    if (!connected) {
                        return CompletableFuture.failedFuture(unreachable());
                    }
                    if (!hold.live) {
                        return CompletableFuture.completedFuture(-1L);
                    }
                    server.startLease(hold, leaseNanos);
                    return CompletableFuture.completedFuture(hold.leaseNanos);
                });
    }

    CompletableFuture<Boolean> release(MemoryHold hold) {
        return server.locked(
                () -> {
                    hold.released = true;
                    if (closed) {
                        return CompletableFuture.failedFuture(closedFailure());
                    }
                    if (!connected) {
                        if (hold.live) {
                            unreleased.add(hold);
                        }
                        return CompletableFuture.failedFuture(unreachable());
                    }
                    boolean live = hold.live;
                    server.end(hold, Loss.RELEASED);
                    holds.remove(hold);
                    return CompletableFuture.completedFuture(live);
                });
    }

    @Override
    public CompletableFuture<String> command(String command, String key, String argument) {
        return server.locked(
                () -> {
                    if (closed) {
                        return CompletableFuture.failedFuture(closedFailure());
                    }
                    if (!connected) {
                        return CompletableFuture.failedFuture(unreachable());
                    }
                    if (command.equals("info") && !serviceFeatures.tagged()) {
                        return CompletableFuture.completedFuture("error");
                    }
                    return CompletableFuture.completedFuture(
                            server.execute(command, key, argument));
                });
    }

    @Override
    public SignalSubscription listen(String pattern, String group, SignalSink sink) {
        var listener = new MemorySignals.Listener(this, pattern, group, sink);
        var accepted = new CompletableFuture<Void>();
        locked(
                () -> {
                    if (closed) {
                        accepted.completeExceptionally(closedFailure());
                    } else if (!MemorySignals.isPattern(pattern)) {
                        accepted.completeExceptionally(MemoryServer.refused("error"));
                    } else {
                        listeners.add(listener);
                        if (connected) {
                            server.signals.add(listener);
                        }
                        accepted.complete(null);
                    }
                });
        return new SignalSubscription() {
            @Override
            public CompletableFuture<Void> accepted() {
                return accepted;
            }

            @Override
            public void close() {
                locked(
                        () -> {
                            listeners.remove(listener);
                            server.signals.remove(listener);
                        });
            }
        };
    }

    @Override
    public void close() {
        locked(
                () -> {
                    if (closed) {
                        return;
                    }
                    if (graceEnd != null) {
                        graceEnd.cancel();
                    }
                    for (var attempt : List.copyOf(attempts)) {
                        attempt.cancelled = true;
                    }
                    holds.forEach(hold -> hold.released = true);
                    session = 0;
                    endSession();
                    closed = true;
                    connected = false;
                    listeners.forEach(server.signals::remove);
                    server.remove(this);
                });
    }

    private void locked(Runnable change) {
        server.locked(
                () -> {
                    change.run();
                    return true;
                });
    }

    private static ServiceException unreachable() {
        return failure(ServiceException.Kind.UNREACHABLE, "the fake server is disconnected");
    }

    private static ServiceException closedFailure() {
        return failure(ServiceException.Kind.CLOSED, "the client is closed");
    }

    private static ServiceException failure(ServiceException.Kind kind, String message) {
        return new ServiceException(kind, message, "", null);
    }
}
