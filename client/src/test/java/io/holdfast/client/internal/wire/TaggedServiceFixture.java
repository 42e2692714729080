package io.holdfast.client.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.client.internal.service.AcquireAttempt;
import io.holdfast.client.internal.service.AcquireOutcome;
import io.holdfast.client.internal.service.AcquireRequest;
import io.holdfast.client.internal.service.GrantedHold;
import io.holdfast.client.internal.service.LockService;
import io.holdfast.client.internal.service.ServiceConfig;
import io.holdfast.client.internal.service.ServiceEvents;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;

/** A service under test with a record of its events. */
final class TaggedServiceFixture implements AutoCloseable {
    static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final SystemClock clock = new SystemClock();
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final TaggedService service;

    private TaggedServiceFixture(ServiceConfig config) throws Exception {
        var socket = LineSocket.dial(config, config.addresses().get(0));
        var response = socket.hello(HelloResponse.argument(config, null));
        service = TaggedService.open(config, new Recorder(), clock, socket, response);
    }

    static TaggedServiceFixture to(FakeTaggedServer server) throws Exception {
        return new TaggedServiceFixture(config(server.address(), Duration.ofSeconds(10)));
    }

    static TaggedServiceFixture withReadTimeout(FakeTaggedServer server, Duration timeout)
            throws Exception {
        return new TaggedServiceFixture(config(server.address(), timeout));
    }

    static ServiceConfig config(InetSocketAddress address, Duration readTimeout) {
        return new ServiceConfig(
                List.of(address),
                null,
                null,
                Duration.ofSeconds(3),
                readTimeout,
                Duration.ofSeconds(60),
                "test",
                4,
                false,
                ForkJoinPool.commonPool());
    }

    static ConditionFactory soon() {
        return Awaitility.await()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .atMost(Duration.ofSeconds(60));
    }

    LockService service() {
        return service;
    }

    /** All events, beginning with connected. */
    List<String> events() {
        return events;
    }

    void awaitEvent(String last) {
        soon().until(() -> events.get(events.size() - 1).equals(last));
    }

    /** An acquire and its outcome. */
    static final class Call {
        private final List<AcquireOutcome> outcomes = new CopyOnWriteArrayList<>();
        private final CompletableFuture<AcquireOutcome> first = new CompletableFuture<>();
        private final AcquireAttempt acquireAttempt;
        private volatile GrantedHold.@Nullable Certainty certaintyAtGrant;

        Call(LockService service, AcquireRequest what) {
            acquireAttempt = service.acquire(what, this::done);
        }

        private void done(AcquireOutcome acquireOutcome) {
            if (acquireOutcome instanceof AcquireOutcome.Granted granted) {
                certaintyAtGrant = granted.hold().certainty();
            }
            outcomes.add(acquireOutcome);
            first.complete(acquireOutcome);
        }

        void cancel() {
            acquireAttempt.cancel();
        }

        boolean isDone() {
            return first.isDone();
        }

        AcquireOutcome outcome() throws Exception {
            AcquireOutcome acquireOutcome = first.get(60, TimeUnit.SECONDS);
            assertThat(outcomes).hasSize(1);
            return acquireOutcome;
        }

        GrantedHold hold() throws Exception {
            assertThat(outcome()).isInstanceOf(AcquireOutcome.Granted.class);
            return ((AcquireOutcome.Granted) outcome()).hold();
        }

        /** The certainty of the hold when it was granted. */
        GrantedHold.@Nullable Certainty certaintyAtGrant() {
            return certaintyAtGrant;
        }
    }

    Call call(AcquireRequest what) {
        return new Call(service, what);
    }

    Call lock(String key) {
        return lock(key, AcquireRequest.FOREVER);
    }

    Call lock(String key, long waitNanos) {
        return call(new AcquireRequest(AcquireRequest.Kind.LOCK, key, 1, waitNanos, 0, false));
    }

    Call unbound(String key) {
        return call(
                new AcquireRequest(
                        AcquireRequest.Kind.LOCK,
                        key,
                        1,
                        AcquireRequest.FOREVER,
                        30 * SECOND,
                        true));
    }

    static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        service.close();
        clock.close();
    }

    private final class Recorder implements ServiceEvents {
        @Override
        public void connected() {
            events.add("connected");
        }

        @Override
        public void suspended() {
            events.add("suspended");
        }

        @Override
        public void restored() {
            events.add("restored");
        }

        @Override
        public void lost() {
            events.add("lost");
        }

        @Override
        public void reconnected() {
            events.add("reconnected");
        }
    }
}
