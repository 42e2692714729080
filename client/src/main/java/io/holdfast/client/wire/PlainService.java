package io.holdfast.client.wire;

import io.holdfast.client.service.Abilities;
import io.holdfast.client.service.Acquisition;
import io.holdfast.client.service.Attempt;
import io.holdfast.client.service.LockService;
import io.holdfast.client.service.Outcome;
import io.holdfast.client.service.ServiceEvents;
import io.holdfast.client.service.ServiceException;
import io.holdfast.client.service.ServiceException.Kind;
import io.holdfast.client.service.SignalSink;
import io.holdfast.client.service.Timeline;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * A plain dflockd: no tags, so that a connection serves one request at a time and a wait needs one
 * of its own. When there are no more connections acquires wait in this client, in order, without a
 * place at the server. Everything is decided in {@link Turns}; sockets are read and written by
 * threads of this service, since a given executor might have too few for all connections.
 */
final class PlainService implements LockService {
    private static final long LAST_WORDS_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ThreadPoolExecutor threads;
    private final Dialer dialer;
    private final PlainContext context;
    private final ServiceEvents events;
    private final CommonLane common;
    private final Acquires acquires;
    private final SignalLanes signals;
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicBoolean closing = new AtomicBoolean();
    private boolean connected = true;

    private PlainService(
            WireConfig config, ServiceEvents events, Timeline timeline, InetSocketAddress address) {
        this.events = events;
        this.dialer = new Dialer(config, address);
        this.threads = threads(dialer.name());
        this.context = new PlainContext(config, timeline, new Turns(threads), threads, dialer);
        this.common = new CommonLane(context, this::commonLost);
        this.signals = new SignalLanes(context);
        this.acquires = new Acquires(context, common, signals::connections, this::connectionLost);
    }

    /** Goes on with an authenticated connection to that address, which belongs to it from now. */
    static PlainService open(
            WireConfig config,
            ServiceEvents events,
            Timeline timeline,
            LineSocket socket,
            InetSocketAddress address) {
        var service = new PlainService(config, events, timeline, address);
        service.context
                .turns()
                .execute(
                        () -> {
                            service.tell(events::connected, service.address());
                            service.common.adopt(socket);
                        });
        return service;
    }

    private static ThreadPoolExecutor threads(String server) {
        var numbers = new AtomicLong();
        return new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                1,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                task -> {
                    String name = "holdfast-" + server + "-" + numbers.incrementAndGet();
                    var thread = new Thread(task, name);
                    thread.setDaemon(true);
                    return thread;
                });
    }

    @Override
    public String address() {
        return dialer.name();
    }

    @Override
    public Abilities abilities() {
        return Abilities.PLAIN;
    }

    @Override
    public Timeline timeline() {
        return context.timeline();
    }

    @Override
    public Attempt acquire(Acquisition what, Consumer<Outcome> done) {
        var attempt = new PlainAttempt(context, acquires, what, done, numbers.incrementAndGet());
        if (what.kind() == Acquisition.Kind.READ) {
            refuse(done, "read locks");
        } else if (what.unbound()) {
            refuse(done, "holds that outlive their connection");
        } else {
            context.turns().execute(() -> acquires.start(attempt));
        }
        return attempt;
    }

    private void refuse(Consumer<Outcome> done, String what) {
        var why = context.failure(Kind.UNSUPPORTED, "a plain dflockd has no " + what, null);
        context.turns().execute(() -> done.accept(new Outcome.Failed(why)));
    }

    @Override
    public CompletableFuture<String> command(String command, String key, String argument) {
        var answer = new CompletableFuture<String>();
        var request =
                new ShortRequest(Exchange.lines(command, key, argument), context.readLimitNanos()) {
                    @Override
                    public void answered(Lane lane, String line) {
                        answer.complete(line);
                    }

                    @Override
                    void failed(ServiceException why) {
                        answer.completeExceptionally(why);
                    }
                };
        context.turns().execute(() -> common.submit(request));
        return answer;
    }

    @Override
    public Listening listen(String pattern, String group, SignalSink sink) {
        return signals.listen(pattern, group, sink);
    }

    private void commonLost(boolean abruptly) {
        connectionLost();
        if (abruptly) {
            acquires.distrust();
        }
    }

    private void connectionLost() {
        if (connected && !closing.get()) {
            connected = false;
            tell(events::suspended);
            tell(events::lost);
            common.submitFirst(new Probe());
        }
    }

    private void connectedAgain() {
        connected = true;
        tell(events::reconnected, address());
    }

    private void tell(Runnable event, String address) {
        tell(() -> events.server(address));
        tell(event);
    }

    private void tell(Runnable event) {
        context.turns().execute(event);
    }

    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        var released = new CountDownLatch(1);
        context.turns().execute(() -> releaseAll(released));
        boolean mayWait = !context.turns().isMine();
        boolean interrupted = mayWait && !awaited(released);
        context.turns().execute(this::end);
        threads.shutdown();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void releaseAll(CountDownLatch released) {
        acquires.cancelAll();
        List<PlainHold> holds = acquires.holds();
        CompletableFuture.allOf(
                        holds.stream().map(PlainHold::release).toArray(CompletableFuture<?>[]::new))
                .whenComplete((unused, alsoUnused) -> released.countDown());
    }

    /** Waits a moment, interrupted or not; false if interrupted. */
    private static boolean awaited(CountDownLatch latch) {
        boolean interrupted = false;
        long end = System.nanoTime() + LAST_WORDS_NANOS;
        while (true) {
            try {
                boolean unused = latch.await(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                return !interrupted;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
    }

    private void end() {
        dialer.close();
        signals.close();
        acquires.close();
        common.close();
    }

    /** Tells whether there is a server again. */
    private final class Probe extends ShortRequest {
        Probe() {
            super(Exchange.lines("ping", "_", "_"), context.readLimitNanos());
        }

        @Override
        boolean isRepeatable() {
            return true;
        }

        @Override
        boolean isPatient() {
            return true;
        }

        @Override
        public void answered(Lane lane, String line) {
            connectedAgain();
        }

        @Override
        void failed(ServiceException why) {
            if (why.kind() != Kind.CLOSED) {
                common.submit(this);
            }
        }
    }
}
