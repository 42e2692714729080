package io.holdfast.client.testing.internal;

import io.holdfast.client.internal.service.AcquireRequest.Kind;
import io.holdfast.client.internal.service.GrantedHold;
import io.holdfast.client.internal.service.TimerClock;

import org.jspecify.annotations.Nullable;

import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A hold. Guarded by the server's monitor. */
final class MemoryHold implements GrantedHold {
    final MemoryService service;
    final MemoryResource resource;
    final boolean unbound;
    final String label;
    private final Kind kind;
    private final String key;
    private final String token;
    private final long fence;
    private final long requestedAt;
    long session;
    long leaseNanos;
    long deadline;
    boolean live = true;
    TimerClock.@Nullable Timer expiry;

    /** Released by its owner: a loss is not reported any more. */
    boolean released;

    /** The reported reason of the loss; null if none has been reported or queued for reporting. */
    private @Nullable Loss reportedLoss;

    /** Why the server ended the hold; null while it has not. */
    @Nullable Loss ended;

    private @Nullable Consumer<Loss> action;

    MemoryHold(MemoryAttempt attempt, MemoryResource memoryResource, long fence, long session) {
        service = attempt.service;
        this.resource = memoryResource;
        kind = attempt.what.kind();
        key = attempt.what.key();
        unbound = attempt.what.unbound();
        label = service.label;
        requestedAt = attempt.requestedAt;
        this.fence = fence;
        this.session = session;
        token = String.format("%016x%016x", fence, fence * 0x9e3779b97f4a7c15L);
    }

    Kind kind() {
        return kind;
    }

    /** Reports the loss to the owner unless one has been reported before. */
    void reportLoss(Loss loss) {
        if (reportedLoss == null && !released) {
            reportedLoss = loss;
            var listener = action;
            if (listener != null) {
                service.server.effect(() -> listener.accept(loss));
            }
        }
    }

    @Override
    public String key() {
        return key;
    }

    @Override
    public String token() {
        return token;
    }

    @Override
    public OptionalLong fence() {
        return service.features().fences() ? OptionalLong.of(fence) : OptionalLong.empty();
    }

    long fenceNumber() {
        return fence;
    }

    @Override
    public long leaseNanos() {
        return leaseNanos;
    }

    @Override
    public long requestedAtNanos() {
        return requestedAt;
    }

    @Override
    public CompletableFuture<Long> renew(long lease) {
        return service.renew(this, lease);
    }

    @Override
    public CompletableFuture<Boolean> release() {
        return service.release(this);
    }

    @Override
    public Certainty certainty() {
        return unbound || service.isConnected() ? Certainty.HELD : Certainty.UNKNOWN;
    }

    @Override
    public void onLost(Consumer<Loss> listener) {
        service.server.locked(
                () -> {
                    action = listener;
                    var already = reportedLoss;
                    if (already != null) {
                        service.server.effect(() -> listener.accept(already));
                    }
                    return already;
                });
    }

    @Override
    public String toString() {
        return "MemoryHold[" + key + ", fence " + fence + "]";
    }
}
