package io.holdfast.client.internal.wire;

import io.holdfast.client.internal.service.AcquireAttempt;
import io.holdfast.client.internal.service.AcquireOutcome;
import io.holdfast.client.internal.service.AcquireRequest;
import io.holdfast.client.internal.service.LockService;
import io.holdfast.client.internal.service.ServiceConfig;
import io.holdfast.client.internal.service.ServiceEvents;
import io.holdfast.client.internal.service.ServiceFeatures;
import io.holdfast.client.internal.service.SignalSink;
import io.holdfast.client.internal.service.TimerClock;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * A server with tagged mode, over one connection plus one for each subscribed pattern and queue
 * group.
 */
final class TaggedService implements LockService {
    private static final long CLOSE_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ServiceConfig config;
    private final ClientSession clientSession;
    private final ReconnectingConnection reconnectingConnection;
    private final QueueGroupSubscriptions queueGroupSubscriptions;
    private final AtomicBoolean closing = new AtomicBoolean();

    private TaggedService(
            ServiceConfig config,
            ServiceEvents events,
            TimerClock timerClock,
            @Nullable AsyncLineSocket asyncLineSocket,
            @Nullable HelloResponse helloResponse) {
        this.config = config;
        this.clientSession = new ClientSession(config, events, timerClock);
        this.reconnectingConnection =
                new ReconnectingConnection(config, asyncLineSocket, clientSession);
        clientSession.onEnd(reconnectingConnection::stop);
        this.queueGroupSubscriptions = new QueueGroupSubscriptions(config, timerClock);
        if (asyncLineSocket != null && helloResponse != null) {
            clientSession.up(asyncLineSocket, helloResponse);
        }
        reconnectingConnection.start();
    }

    /**
     * Creates a service over a connection on which {@code hello} has been exchanged, and reports it
     * as connected.
     *
     * @param socket owned by the service from now on
     */
    static TaggedService open(
            ServiceConfig config,
            ServiceEvents events,
            TimerClock timerClock,
            LineSocket socket,
            String hello)
            throws BadLineException {
        HelloResponse helloResponse = HelloResponse.parse(hello);
        return new TaggedService(
                config, events, timerClock, new AsyncLineSocket(socket), helloResponse);
    }

    /** Creates a service that connects in the background. */
    static TaggedService dialing(
            ServiceConfig config, ServiceEvents events, TimerClock timerClock) {
        return new TaggedService(config, events, timerClock, null, null);
    }

    @Override
    public String address() {
        return clientSession.address();
    }

    @Override
    public ServiceFeatures features() {
        return clientSession.canResume()
                ? ServiceFeatures.ALL
                : new ServiceFeatures(true, true, true, true, false);
    }

    @Override
    public TimerClock clock() {
        return clientSession.clock();
    }

    @Override
    public AcquireAttempt acquire(AcquireRequest what, Consumer<AcquireOutcome> done) {
        var taggedAcquireAttempt = new TaggedAcquireAttempt(clientSession, what, done);
        clientSession.run(() -> clientSession.submit(taggedAcquireAttempt));
        return taggedAcquireAttempt;
    }

    @Override
    public CompletableFuture<String> command(String command, String key, String argument) {
        var future = new CompletableFuture<String>();
        var unrepeatedRequest =
                new UnrepeatedRequest(
                        command, key, argument, future::complete, future::completeExceptionally);
        clientSession.run(() -> clientSession.submit(unrepeatedRequest));
        return future;
    }

    @Override
    public SignalSubscription listen(String pattern, String group, SignalSink sink) {
        var patternAndGroup = new SessionSubscriptions.PatternAndGroup(pattern, group);
        return group.isEmpty()
                ? listenHere(patternAndGroup, sink)
                : queueGroupSubscriptions.listen(patternAndGroup, sink);
    }

    SignalSubscription listenHere(
            SessionSubscriptions.PatternAndGroup patternAndGroup, SignalSink sink) {
        return clientSession
                .listeners()
                .listen(patternAndGroup, sink, config.connectTimeout().toNanos());
    }

    @Override
    public void close() {
        startClose();
        queueGroupSubscriptions.close();
        if (clientSession.isCurrentThread()) {
            return; // called by a callback, which must not wait for its own thread
        }
        boolean interrupted = false;
        long deadline = System.nanoTime() + CLOSE_TIMEOUT_NANOS;
        while (true) {
            try {
                clientSession.ended().await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                clientSession.run(clientSession::finishClose);
                reconnectingConnection.join(Duration.ofNanos(CLOSE_TIMEOUT_NANOS));
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Starts to close and does not wait. */
    void startClose() {
        if (closing.getAndSet(true)) {
            return;
        }
        clientSession.run(clientSession::beginClose);
        clientSession
                .clock()
                .schedule(CLOSE_TIMEOUT_NANOS / 2, () -> clientSession.run(clientSession::sendBye));
        clientSession
                .clock()
                .schedule(CLOSE_TIMEOUT_NANOS, () -> clientSession.run(clientSession::finishClose));
    }
}
