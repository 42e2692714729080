package io.holdfast.client.internal.wire;

import io.holdfast.client.internal.service.ServiceException;

import java.util.concurrent.CompletableFuture;

/** Renews or releases a hold. Both can be sent again, because the token identifies the hold. */
abstract class RenewOrReleaseRequest<T> extends TaggedRequest {
    final TaggedHold hold;
    final CompletableFuture<T> future;

    RenewOrReleaseRequest(TaggedHold hold, CompletableFuture<T> future) {
        this.hold = hold;
        this.future = future;
    }

    /** The result if the hold has ended. */
    abstract T resultIfEnded();

    @Override
    final String command() {
        return hold.isSemaphore() ? "s" + letter() : letter();
    }

    abstract String letter();

    @Override
    final String key() {
        return hold.key();
    }

    @Override
    final boolean survivesDisconnect(ServiceException why) {
        return true;
    }

    @Override
    final long offlineTimeoutNanos(long now, long connectTimeoutNanos) {
        return connectTimeoutNanos;
    }

    @Override
    final boolean survivesSessionLoss() {
        if (hold.isUnbound()) {
            return true;
        }
        future.complete(resultIfEnded());
        return false;
    }

    @Override
    final boolean shouldResend(ResumedState resumedState) {
        if (!hold.isOf(resumedState) || resumedState.isHeld(hold.tag())) {
            return true;
        }
        future.complete(resultIfEnded());
        return false;
    }

    /** Restarts the lease. */
    static final class Renew extends RenewOrReleaseRequest<Long> {
        private final long leaseNanos;
        private final long requestedAtNanos;

        Renew(
                TaggedHold hold,
                long leaseNanos,
                long requestedAtNanos,
                CompletableFuture<Long> future) {
            super(hold, future);
            this.leaseNanos = leaseNanos;
            this.requestedAtNanos = requestedAtNanos;
        }

        @Override
        String letter() {
            return "n";
        }

        @Override
        String argument(long now) {
            return hold.token() + (leaseNanos == 0 ? "" : " " + WireDuration.text(leaseNanos));
        }

        @Override
        boolean isObsolete(long now) {
            return future.isDone();
        }

        @Override
        void onResponse(String response) throws BadLineException {
            if (response.startsWith("ok ")) {
                long lease = WireDuration.parse(response.substring(3));
                hold.renewed(requestedAtNanos + lease);
                future.complete(lease);
            } else if (response.equals("error")) {
                future.complete(resultIfEnded());
            } else {
                future.completeExceptionally(hold.refused(response));
            }
        }

        @Override
        Long resultIfEnded() {
            return -1L;
        }

        @Override
        boolean survivesTimeout(ServiceException why) {
            future.completeExceptionally(why);
            return false;
        }

        @Override
        void closed(ServiceException why) {
            future.completeExceptionally(why);
        }
    }

    /** Releases the hold. The request is sent even if the caller has stopped waiting for it. */
    static final class Release extends RenewOrReleaseRequest<Boolean> {
        Release(TaggedHold hold, CompletableFuture<Boolean> future) {
            super(hold, future);
        }

        @Override
        String letter() {
            return "r";
        }

        @Override
        String argument(long now) {
            return hold.token();
        }

        @Override
        void onResponse(String response) {
            // After an error: the first request, whose response was lost, may have released it.
            hold.remove();
            future.complete(response.equals("ok") || wasRepeated());
        }

        @Override
        Boolean resultIfEnded() {
            hold.remove();
            return wasSent();
        }

        @Override
        boolean survivesTimeout(ServiceException why) {
            future.completeExceptionally(why);
            return true;
        }

        @Override
        void closed(ServiceException why) {
            if (hold.isUnbound()) {
                future.completeExceptionally(why);
            } else {
                future.complete(true);
            }
        }
    }
}
