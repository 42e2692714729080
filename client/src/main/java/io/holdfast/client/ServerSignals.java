package io.holdfast.client;

import io.holdfast.client.internal.service.LockService;
import io.holdfast.client.internal.service.LockService.SignalSubscription;
import io.holdfast.client.internal.thread.SerialExecutor;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Signals over the services of a client. */
final class ServerSignals implements Signals {
    private final ClientCore core;
    private final ImmediateCommands commands;

    ServerSignals(ClientCore core, ImmediateCommands commands) {
        this.core = core;
        this.commands = commands;
    }

    @Override
    public int send(String channel, String payload) {
        ArgumentValidation.channel(channel);
        long receivers =
                commands.number("signal", channel, ArgumentValidation.payload(channel, payload));
        return (int) Math.min(Integer.MAX_VALUE, receivers);
    }

    @Override
    public Subscription listen(String pattern, Consumer<Signal> action) {
        return listen(pattern, "", action);
    }

    @Override
    public Subscription listen(String pattern, String group, Consumer<Signal> action) {
        var calls = new Calls(SerialExecutor.on(core.callbacks()), action);
        var signalQueue = new SignalQueue(calls::next);
        calls.signalQueue = signalQueue;
        return open(
                new Listener(core, ArgumentValidation.key("pattern", pattern), signalQueue), group);
    }

    @Override
    public SignalStream stream(String pattern) {
        return stream(pattern, "");
    }

    @Override
    public SignalStream stream(String pattern, String group) {
        var signalQueue = new SignalQueue(() -> {});
        return open(
                new Listener(core, ArgumentValidation.key("pattern", pattern), signalQueue), group);
    }

    private Listener open(Listener listener, String group) {
        ArgumentValidation.group(group);
        var what = "listen " + listener.pattern;
        core.ensureOpen(what);
        for (var service : servicesOf(listener.pattern)) {
            listener.subscriptions.add(
                    service.listen(listener.pattern, group, listener.signalQueue));
        }
        if (!core.add(listener)) {
            listener.close();
            throw ClientExceptions.closed(what);
        }
        for (var signalSubscription : listener.subscriptions) {
            var valueOrFailure =
                    ClientCore.await(signalSubscription.accepted(), core.responseTimeoutNanos());
            var failure = valueOrFailure == null ? null : valueOrFailure.failure();
            if (valueOrFailure == null || failure != null) {
                listener.close();
                var address = servicesOf(listener.pattern).get(0).address();
                throw failure == null
                        ? new ServerUnreachableException(
                                what + " at " + address + ": no response within the timeout", null)
                        : ClientExceptions.of(failure, what, address);
            }
        }
        return listener;
    }

    /** A channel belongs to one shard; channels that match a pattern may be on any shard. */
    private List<LockService> servicesOf(String pattern) {
        boolean wild = pattern.indexOf('*') >= 0 || pattern.indexOf('>') >= 0;
        return wild ? core.services() : List.of(core.serviceOf(pattern));
    }

    /** Passes signals to the user's action, with at most one scheduled call at a time. */
    private static final class Calls {
        private final SerialExecutor executor;
        private final Consumer<Signal> action;
        private final AtomicBoolean scheduled = new AtomicBoolean();
        private volatile @Nullable SignalQueue signalQueue;

        Calls(SerialExecutor executor, Consumer<Signal> action) {
            this.executor = executor;
            this.action = action;
        }

        void next() {
            if (scheduled.compareAndSet(false, true)) {
                executor.execute(this::call);
            }
        }

        private void call() {
            scheduled.set(false);
            var from = signalQueue;
            var signal = from == null ? null : from.poll();
            if (signal != null) {
                next(); // there may be more signals; the executor runs them after this call
                action.accept(signal);
            }
        }
    }

    private static final class Listener implements SignalStream, ClientCore.Part {
        private final ClientCore core;
        private final String pattern;
        private final SignalQueue signalQueue;
        private final List<SignalSubscription> subscriptions = new ArrayList<>();

        Listener(ClientCore core, String pattern, SignalQueue signalQueue) {
            this.core = core;
            this.pattern = pattern;
            this.signalQueue = signalQueue;
        }

        @Override
        public String pattern() {
            return pattern;
        }

        @Override
        public long dropped() {
            return signalQueue.dropped();
        }

        @Override
        public void close() {
            core.remove(this);
            signalQueue.close();
            subscriptions.forEach(SignalSubscription::close);
        }

        @Override
        public void clientClosed() {
            close();
        }

        @Override
        public Iterator<Signal> iterator() {
            return new Reader(signalQueue);
        }

        @Override
        public String toString() {
            return "Subscription[" + pattern + "]";
        }
    }

    private static final class Reader implements Iterator<Signal> {
        private final SignalQueue signalQueue;
        private @Nullable Signal next;

        Reader(SignalQueue signalQueue) {
            this.signalQueue = signalQueue;
        }

        @Override
        public boolean hasNext() {
            if (next == null) {
                try {
                    next = signalQueue.take();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            return next != null;
        }

        @Override
        public Signal next() {
            if (!hasNext() || next == null) {
                throw new NoSuchElementException("closed");
            }
            var signal = next;
            next = null;
            return signal;
        }
    }
}
