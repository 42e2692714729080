package io.holdfast.client;

import io.holdfast.client.service.LockService;
import io.holdfast.client.service.LockService.Listening;

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
    private final Commands commands;

    ServerSignals(ClientCore core, Commands commands) {
        this.core = core;
        this.commands = commands;
    }

    @Override
    public int send(String channel, String payload) {
        Words.channel(channel);
        long receivers = commands.number("signal", channel, Words.payload(channel, payload));
        return (int) Math.min(Integer.MAX_VALUE, receivers);
    }

    @Override
    public Subscription listen(String pattern, Consumer<Signal> action) {
        return listen(pattern, "", action);
    }

    @Override
    public Subscription listen(String pattern, String group, Consumer<Signal> action) {
        var calls = new Calls(new SerialExecutor(core.callbacks()), action);
        var inbox = new Inbox(calls::next);
        calls.inbox = inbox;
        return open(new Listener(core, Words.key("pattern", pattern), inbox), group);
    }

    @Override
    public SignalStream stream(String pattern) {
        return stream(pattern, "");
    }

    @Override
    public SignalStream stream(String pattern, String group) {
        var inbox = new Inbox(() -> {});
        return open(new Listener(core, Words.key("pattern", pattern), inbox), group);
    }

    private Listener open(Listener listener, String group) {
        Words.group(group);
        var what = "listen " + listener.pattern;
        core.ensureOpen(what);
        for (var service : servicesOf(listener.pattern)) {
            listener.listenings.add(service.listen(listener.pattern, group, listener.inbox));
        }
        if (!core.add(listener)) {
            listener.close();
            throw Failures.closed(what);
        }
        for (var listening : listener.listenings) {
            var answer = ClientCore.await(listening.accepted(), core.answerNanos());
            var failure = answer == null ? null : answer.failure();
            if (answer == null || failure != null) {
                listener.close();
                var address = servicesOf(listener.pattern).get(0).address();
                throw failure == null
                        ? new ServerUnreachableException(
                                what + " at " + address + ": no answer came in time", null)
                        : Failures.of(failure, what, address);
            }
        }
        return listener;
    }

    /** A channel belongs to one shard; what a pattern matches may be on any. */
    private List<LockService> servicesOf(String pattern) {
        boolean wild = pattern.indexOf('*') >= 0 || pattern.indexOf('>') >= 0;
        return wild ? core.services() : List.of(core.serviceOf(pattern));
    }

    /** Hands signals to the user's code, never more than one call waiting for its turn. */
    private static final class Calls {
        private final SerialExecutor executor;
        private final Consumer<Signal> action;
        private final AtomicBoolean scheduled = new AtomicBoolean();
        private volatile @Nullable Inbox inbox;

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
            var from = inbox;
            var signal = from == null ? null : from.poll();
            if (signal != null) {
                next(); // there may be more; this call comes first
                action.accept(signal);
            }
        }
    }

    private static final class Listener implements SignalStream, ClientCore.Part {
        private final ClientCore core;
        private final String pattern;
        private final Inbox inbox;
        private final List<Listening> listenings = new ArrayList<>();

        Listener(ClientCore core, String pattern, Inbox inbox) {
            this.core = core;
            this.pattern = pattern;
            this.inbox = inbox;
        }

        @Override
        public String pattern() {
            return pattern;
        }

        @Override
        public long dropped() {
            return inbox.dropped();
        }

        @Override
        public void close() {
            core.remove(this);
            inbox.close();
            listenings.forEach(Listening::close);
        }

        @Override
        public void clientClosed() {
            close();
        }

        @Override
        public Iterator<Signal> iterator() {
            return new Reader(inbox);
        }

        @Override
        public String toString() {
            return "Subscription[" + pattern + "]";
        }
    }

    private static final class Reader implements Iterator<Signal> {
        private final Inbox inbox;
        private @Nullable Signal next;

        Reader(Inbox inbox) {
            this.inbox = inbox;
        }

        @Override
        public boolean hasNext() {
            if (next == null) {
                try {
                    next = inbox.take();
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
