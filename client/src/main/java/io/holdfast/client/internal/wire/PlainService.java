package io.holdfast.client.internal.wire;

import io.holdfast.client.internal.service.AcquireAttempt;
import io.holdfast.client.internal.service.AcquireOutcome;
import io.holdfast.client.internal.service.AcquireRequest;
import io.holdfast.client.internal.service.LockService;
import io.holdfast.client.internal.service.ServiceConfig;
import io.holdfast.client.internal.service.ServiceEvents;
import io.holdfast.client.internal.service.ServiceException;
import io.holdfast.client.internal.service.ServiceException.Kind;
import io.holdfast.client.internal.service.ServiceFeatures;
import io.holdfast.client.internal.service.SignalSink;
import io.holdfast.client.internal.service.TimerClock;
import io.holdfast.client.internal.thread.SerialExecutor;

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
 * A plain dflockd: without tags a connection serves one request at a time, and a wait occupies a
 * connection. At the maximum number of connections acquires wait in this client, in order, and are
 * not in the server's queue. All state changes run in the {@link SerialExecutor}. Sockets are read
 * and written by threads of this service, because the user's executor may have too few threads for
 * all connections.
 */
final class PlainService implements LockService {
    private static final long CLOSE_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ThreadPoolExecutor threads;
    private final PlainConnector plainConnector;
    private final PlainServiceState serviceState;
    private final ServiceEvents events;
    private final SharedPlainConnection common;
    private final AcquireConnectionPool acquireConnectionPool;
    private final SignalConnections signals;
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicBoolean closing = new AtomicBoolean();
    private boolean connected = true;

    private PlainService(
            ServiceConfig config,
            ServiceEvents events,
            TimerClock timerClock,
            InetSocketAddress address) {
        this.events = events;
        this.plainConnector = new PlainConnector(config, address);
        this.threads = threads(plainConnector.name());
        this.serviceState =
                new PlainServiceState(
                        config,
                        timerClock,
                        SerialExecutor.onCallers(threads),
                        threads,
                        plainConnector);
        this.common = new SharedPlainConnection(serviceState, this::sharedConnectionLost);
        this.signals = new SignalConnections(serviceState);
        this.acquireConnectionPool =
                new AcquireConnectionPool(
                        serviceState, common, signals::connections, this::connectionLost);
    }

    /**
     * Creates a service over an authenticated connection to that address, and takes ownership of
     * the connection.
     */
    static PlainService open(
            ServiceConfig config,
            ServiceEvents events,
            TimerClock timerClock,
            LineSocket socket,
            InetSocketAddress address) {
        var service = new PlainService(config, events, timerClock, address);
        service.serviceState
                .executor()
                .execute(
                        () -> {
                            service.notifyListener(events::connected, service.address());
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
        return plainConnector.name();
    }

    @Override
    public ServiceFeatures features() {
        return ServiceFeatures.PLAIN;
    }

    @Override
    public TimerClock clock() {
        return serviceState.clock();
    }

    @Override
    public AcquireAttempt acquire(AcquireRequest what, Consumer<AcquireOutcome> done) {
        var attempt =
                new PlainAcquireAttempt(
                        serviceState, acquireConnectionPool, what, done, numbers.incrementAndGet());
        if (what.kind() == AcquireRequest.Kind.READ) {
            refuse(done, "read locks");
        } else if (what.unbound()) {
            refuse(done, "holds that outlive their connection");
        } else {
            serviceState.executor().execute(() -> acquireConnectionPool.start(attempt));
        }
        return attempt;
    }

    private void refuse(Consumer<AcquireOutcome> done, String what) {
        var why = serviceState.failure(Kind.UNSUPPORTED, "a plain dflockd has no " + what, null);
        serviceState.executor().execute(() -> done.accept(new AcquireOutcome.Failed(why)));
    }

    @Override
    public CompletableFuture<String> command(String command, String key, String argument) {
        var response = new CompletableFuture<String>();
        var request =
                new ImmediateRequest(
                        PlainRequest.lines(command, key, argument),
                        serviceState.readTimeoutNanos()) {
                    @Override
                    public void onResponse(PlainConnection plainConnection, String line) {
                        response.complete(line);
                    }

                    @Override
                    void failed(ServiceException why) {
                        response.completeExceptionally(why);
                    }
                };
        serviceState.executor().execute(() -> common.submit(request));
        return response;
    }

    @Override
    public SignalSubscription listen(String pattern, String group, SignalSink sink) {
        return signals.listen(pattern, group, sink);
    }

    private void sharedConnectionLost(boolean abruptly) {
        connectionLost();
        if (abruptly) {
            acquireConnectionPool.suspectServer();
        }
    }

    private void connectionLost() {
        if (connected && !closing.get()) {
            connected = false;
            notifyListener(events::suspended);
            notifyListener(events::lost);
            common.submitFirst(new Probe());
        }
    }

    private void reconnected() {
        connected = true;
        notifyListener(events::reconnected, address());
    }

    private void notifyListener(Runnable event, String address) {
        notifyListener(() -> events.server(address));
        notifyListener(event);
    }

    private void notifyListener(Runnable event) {
        serviceState.executor().execute(event);
    }

    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        var released = new CountDownLatch(1);
        serviceState.executor().execute(() -> releaseAll(released));
        boolean mayWait = !serviceState.executor().isCurrentThread();
        boolean interrupted = mayWait && !awaitUninterruptibly(released);
        serviceState.executor().execute(this::end);
        threads.shutdown();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void releaseAll(CountDownLatch released) {
        acquireConnectionPool.cancelAll();
        List<PlainHold> holds = acquireConnectionPool.holds();
        CompletableFuture.allOf(
                        holds.stream().map(PlainHold::release).toArray(CompletableFuture<?>[]::new))
                .whenComplete((unused, alsoUnused) -> released.countDown());
    }

    /** Waits uninterruptibly for up to a second; false if the thread was interrupted. */
    private static boolean awaitUninterruptibly(CountDownLatch latch) {
        boolean interrupted = false;
        long end = System.nanoTime() + CLOSE_TIMEOUT_NANOS;
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
        plainConnector.close();
        signals.close();
        acquireConnectionPool.close();
        common.close();
    }

    /** A ping that detects when the server can be reached again. */
    private final class Probe extends ImmediateRequest {
        Probe() {
            super(PlainRequest.lines("ping", "_", "_"), serviceState.readTimeoutNanos());
        }

        @Override
        boolean isRepeatable() {
            return true;
        }

        @Override
        boolean waitsForConnection() {
            return true;
        }

        @Override
        public void onResponse(PlainConnection plainConnection, String line) {
            reconnected();
        }

        @Override
        void failed(ServiceException why) {
            if (why.kind() != Kind.CLOSED) {
                common.submit(this);
            }
        }
    }
}
