package io.holdfast.client.internal.wire;

import io.holdfast.client.internal.service.AcquireRequest.Kind;
import io.holdfast.client.internal.service.GrantedHold;
import io.holdfast.client.internal.service.ServiceException;

import org.jspecify.annotations.Nullable;

import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A hold at a plain dflockd. It ends with the connection that acquired it. */
final class PlainHold implements GrantedHold {
    private enum State {
        HELD,
        RELEASED,
        LOST
    }

    /** Is notified of the end of a hold. */
    interface PlainHoldListener {
        /** The hold was released, so the key may be free. */
        void released(PlainHold hold);
    }

    private final PlainServiceState serviceState;
    private final SharedPlainConnection common;
    private final PlainHoldListener plainHoldListener;
    private final PlainConnection connection;
    private final Kind kind;
    private final String key;
    private final GrantLine grantLine;
    private final long requestedAtNanos;
    private long expiresAtNanos;
    private State state = State.HELD;
    private @Nullable Loss loss;
    private @Nullable Consumer<Loss> onLost;

    PlainHold(
            PlainServiceState serviceState,
            SharedPlainConnection common,
            PlainHoldListener plainHoldListener,
            PlainConnection plainConnection,
            KindAndKey queueKey,
            GrantLine grantLine,
            long requestedAtNanos) {
        this.serviceState = serviceState;
        this.common = common;
        this.plainHoldListener = plainHoldListener;
        this.connection = plainConnection;
        this.kind = queueKey.kind();
        this.key = queueKey.key();
        this.grantLine = grantLine;
        this.requestedAtNanos = requestedAtNanos;
        this.expiresAtNanos = end(grantLine.leaseNanos());
        plainConnection.addHold(this);
    }

    /** The end of a lease that starts now; capped so that it does not overflow. */
    private long end(long leaseNanos) {
        return serviceState.now() + Math.min(leaseNanos, PlainServiceState.MAX_NANOS);
    }

    @Override
    public String key() {
        return key;
    }

    KindAndKey queueKey() {
        return new KindAndKey(kind, key);
    }

    @Override
    public String token() {
        return grantLine.token();
    }

    @Override
    public OptionalLong fence() {
        return OptionalLong.empty();
    }

    @Override
    public long leaseNanos() {
        return grantLine.leaseNanos();
    }

    @Override
    public long requestedAtNanos() {
        return requestedAtNanos;
    }

    @Override
    public CompletableFuture<Long> renew(long leaseNanos) {
        var renewed = new CompletableFuture<Long>();
        String argument = grantLine.token() + GrantLine.lease(leaseNanos);
        String request = PlainRequest.lines(kind == Kind.SEMAPHORE ? "sn" : "n", key, argument);
        serviceState.executor().execute(() -> sendRenewal(new Renewal(request, renewed)));
        return renewed;
    }

    @Override
    public CompletableFuture<Boolean> release() {
        var released = new CompletableFuture<Boolean>();
        String request =
                PlainRequest.lines(kind == Kind.SEMAPHORE ? "sr" : "r", key, grantLine.token());
        serviceState
                .executor()
                .execute(
                        () -> {
                            if (state == State.HELD) {
                                state = State.RELEASED;
                                send(new Release(request, released));
                            } else {
                                released.complete(false);
                            }
                        });
        return released;
    }

    private void sendRenewal(Renewal renewal) {
        if (state == State.HELD) {
            send(renewal);
        } else {
            renewal.renewed.complete(-1L);
        }
    }

    /**
     * The token is sufficient to renew and release, so the shared connection is used while the
     * connection of the hold is busy.
     */
    private void send(HoldRequest request) {
        if (connection != common.connection() && connection.isIdle()) {
            request.onOwnConnection = true;
            connection.send(request);
        } else {
            common.submit(request);
        }
    }

    @Override
    public void onLost(Consumer<Loss> action) {
        serviceState
                .executor()
                .execute(
                        () -> {
                            if (loss != null) {
                                action.accept(loss);
                            } else {
                                onLost = action;
                            }
                        });
    }

    boolean isExpiredAt(long nowNanos) {
        return nowNanos - expiresAtNanos > 0;
    }

    /** The lease has run out, so the server has ended the hold. */
    void expired() {
        connection.removeHold(this);
        lose(Loss.EXPIRED);
    }

    void connectionEnded() {
        lose(Loss.CONNECTION);
    }

    private void lose(Loss reason) {
        if (state != State.HELD) {
            return;
        }
        state = State.LOST;
        loss = reason;
        Consumer<Loss> action = onLost;
        if (action != null) {
            serviceState.executor().execute(() -> action.accept(reason));
        }
    }

    private abstract class HoldRequest extends ImmediateRequest {
        boolean onOwnConnection;

        HoldRequest(String request) {
            super(request, serviceState.readTimeoutNanos());
        }

        @Override
        boolean isRepeatable() {
            return !onOwnConnection && !connection.hasEnded();
        }
    }

    private final class Renewal extends HoldRequest {
        private final CompletableFuture<Long> renewed;

        Renewal(String request, CompletableFuture<Long> renewed) {
            super(request);
            this.renewed = renewed;
        }

        @Override
        public void onResponse(PlainConnection by, String line) {
            long lease = GrantLine.renewed(line);
            if (lease >= 0) {
                expiresAtNanos = end(lease);
                renewed.complete(lease);
            } else if (line.equals("error") || line.equals("error_lease_expired")) {
                connection.removeHold(PlainHold.this);
                state = state == State.HELD ? State.LOST : state;
                renewed.complete(-1L);
            } else {
                renewed.completeExceptionally(serviceState.refused(line));
            }
        }

        @Override
        void failed(ServiceException why) {
            if (state == State.LOST) {
                renewed.complete(-1L);
            } else {
                renewed.completeExceptionally(why);
            }
        }
    }

    private final class Release extends HoldRequest {
        private final CompletableFuture<Boolean> released;

        Release(String request, CompletableFuture<Boolean> released) {
            super(request);
            this.released = released;
        }

        @Override
        public void onResponse(PlainConnection by, String line) {
            connection.removeHold(PlainHold.this);
            if (line.equals("ok")) {
                released.complete(true);
            } else if (line.equals("error")) {
                released.complete(wasSentBefore()); // the first request may have released it
            } else {
                released.completeExceptionally(serviceState.refused(line));
            }
            plainHoldListener.released(PlainHold.this);
        }

        @Override
        void failed(ServiceException why) {
            boolean gone = connection.hasEnded();
            connection.removeHold(PlainHold.this);
            if (gone) {
                released.complete(false);
            } else {
                released.completeExceptionally(why);
            }
        }
    }

    @Override
    public String toString() {
        return "hold of " + key;
    }
}
