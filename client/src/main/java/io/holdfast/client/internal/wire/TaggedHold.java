package io.holdfast.client.internal.wire;

import io.holdfast.client.internal.service.AcquireRequest;
import io.holdfast.client.internal.service.GrantedHold;
import io.holdfast.client.internal.service.ServiceException;
import io.holdfast.client.internal.thread.SerialExecutor;

import org.jspecify.annotations.Nullable;

import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A hold of a session. Its mutable state is accessed only in the session's {@link SerialExecutor}.
 */
final class TaggedHold implements GrantedHold {
    private static final int FENCE_DIGITS = 16;

    private final ClientSession clientSession;
    private final String sessionName;
    private final AcquireRequest what;
    private final long tag;
    private final String token;
    private final long leaseNanos;
    private final long requestedAtNanos;
    private final @Nullable SessionHeartbeat grantedOn;

    private long endsAtNanos;
    private boolean released;
    private @Nullable Loss loss;
    private @Nullable Consumer<Loss> onLost;

    TaggedHold(
            ClientSession clientSession,
            String sessionName,
            AcquireRequest what,
            long tag,
            String token,
            long leaseNanos,
            long requestedAtNanos,
            @Nullable SessionHeartbeat grantedOn) {
        this.clientSession = clientSession;
        this.sessionName = sessionName;
        this.what = what;
        this.tag = tag;
        this.token = token;
        this.leaseNanos = leaseNanos;
        this.requestedAtNanos = requestedAtNanos;
        this.grantedOn = grantedOn;
        this.endsAtNanos = requestedAtNanos + leaseNanos;
    }

    @Override
    public String key() {
        return what.key();
    }

    @Override
    public String token() {
        return token;
    }

    @Override
    public OptionalLong fence() {
        if (token.length() < FENCE_DIGITS) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(Long.parseUnsignedLong(token.substring(0, FENCE_DIGITS), 16));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    @Override
    public long leaseNanos() {
        return leaseNanos;
    }

    @Override
    public Certainty certainty() {
        return what.unbound() ? Certainty.HELD : clientSession.certainty(grantedOn);
    }

    @Override
    public long requestedAtNanos() {
        return requestedAtNanos;
    }

    @Override
    public CompletableFuture<Long> renew(long lease) {
        var future = new CompletableFuture<Long>();
        long requestedAt = clientSession.now();
        clientSession.run(
                () -> {
                    if (loss == null) {
                        clientSession.submit(
                                new RenewOrReleaseRequest.Renew(this, lease, requestedAt, future));
                    } else {
                        future.complete(-1L);
                    }
                });
        return future;
    }

    @Override
    public CompletableFuture<Boolean> release() {
        var future = new CompletableFuture<Boolean>();
        clientSession.run(() -> release(future));
        return future;
    }

    void release(CompletableFuture<Boolean> future) {
        released = true;
        onLost = null;
        if (loss == null) {
            clientSession.submit(new RenewOrReleaseRequest.Release(this, future));
        } else {
            future.complete(false);
        }
    }

    @Override
    public void onLost(Consumer<Loss> action) {
        clientSession.run(
                () -> {
                    if (released) {
                        return;
                    }
                    Loss known = loss;
                    if (known == null) {
                        onLost = action;
                    } else {
                        action.accept(known);
                    }
                });
    }

    long tag() {
        return tag;
    }

    boolean isSemaphore() {
        return what.kind() == AcquireRequest.Kind.SEMAPHORE;
    }

    boolean isUnbound() {
        return what.unbound();
    }

    /** Whether it was acquired in the session that was resumed. */
    boolean isOf(ResumedState resumedState) {
        return sessionName.equals(resumedState.session());
    }

    void renewed(long until) {
        endsAtNanos = until;
    }

    ServiceException refused(String response) {
        return clientSession.refused(response);
    }

    /** It was released. */
    void remove() {
        clientSession.remove(this);
    }

    /** The server does not list it any more, and has not reported why. */
    void missing(long now) {
        lose(now - endsAtNanos >= 0 ? Loss.EXPIRED : Loss.RELEASED);
    }

    void lose(Loss why) {
        if (loss != null) {
            return;
        }
        loss = why;
        Consumer<Loss> action = onLost;
        onLost = null;
        if (action != null && !released) {
            SerialExecutor.guard(() -> action.accept(why));
        }
    }

    /** Without the token. */
    @Override
    public String toString() {
        return "hold of " + key();
    }
}
