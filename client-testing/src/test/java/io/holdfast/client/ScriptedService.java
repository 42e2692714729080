package io.holdfast.client;

import io.holdfast.client.internal.service.AcquireAttempt;
import io.holdfast.client.internal.service.AcquireOutcome;
import io.holdfast.client.internal.service.AcquireRequest;
import io.holdfast.client.internal.service.GrantedHold;
import io.holdfast.client.internal.service.LockService;
import io.holdfast.client.internal.service.ServiceFeatures;
import io.holdfast.client.internal.service.SignalSink;
import io.holdfast.client.internal.service.TimerClock;
import io.holdfast.client.testing.internal.MemoryClock;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** A service whose responses are set by the test. */
final class ScriptedService implements LockService {
    final MemoryClock clock = new MemoryClock();
    final List<Consumer<AcquireOutcome>> requests = new CopyOnWriteArrayList<>();
    final AtomicInteger cancelled = new AtomicInteger();
    volatile Supplier<CompletableFuture<String>> response =
            () -> CompletableFuture.completedFuture("ok");

    Holdfast client(Duration readTimeout) {
        return client(readTimeout, builder -> builder);
    }

    Holdfast client(Duration readTimeout, UnaryOperator<HoldfastBuilder> settings) {
        return settings.apply(new HoldfastBuilder())
                .address("scripted:1")
                .connectTimeout(readTimeout)
                .readTimeout(readTimeout)
                .connect((config, events, timerClock) -> this, clock, Runnable::run);
    }

    @Override
    public String address() {
        return "scripted:1";
    }

    @Override
    public ServiceFeatures features() {
        return ServiceFeatures.ALL;
    }

    @Override
    public TimerClock clock() {
        return clock;
    }

    @Override
    public AcquireAttempt acquire(AcquireRequest what, Consumer<AcquireOutcome> done) {
        requests.add(done);
        return cancelled::incrementAndGet;
    }

    @Override
    public CompletableFuture<String> command(String command, String key, String argument) {
        return response.get();
    }

    @Override
    public SignalSubscription listen(String pattern, String group, SignalSink sink) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}

    /** A hold that records its renewals and releases. */
    final class Granted implements GrantedHold {
        final AtomicInteger renewals = new AtomicInteger();
        final AtomicInteger releases = new AtomicInteger();
        volatile Supplier<CompletableFuture<Long>> renewal =
                () -> CompletableFuture.completedFuture(leaseNanos());
        volatile Supplier<CompletableFuture<Boolean>> release =
                () -> CompletableFuture.completedFuture(true);

        /** Set if the hold is lost before a listener is registered. */
        volatile @Nullable Loss lost;

        private final long requestedAt = clock.nanoTime();

        @Override
        public String key() {
            return "k";
        }

        @Override
        public String token() {
            return "secret";
        }

        @Override
        public OptionalLong fence() {
            return OptionalLong.of(7);
        }

        @Override
        public long leaseNanos() {
            return Duration.ofSeconds(30).toNanos();
        }

        @Override
        public long requestedAtNanos() {
            return requestedAt;
        }

        @Override
        public CompletableFuture<Long> renew(long leaseNanos) {
            renewals.incrementAndGet();
            return renewal.get();
        }

        @Override
        public CompletableFuture<Boolean> release() {
            releases.incrementAndGet();
            return release.get();
        }

        @Override
        public void onLost(Consumer<Loss> action) {
            var already = lost;
            if (already != null) {
                action.accept(already);
            }
        }
    }
}
