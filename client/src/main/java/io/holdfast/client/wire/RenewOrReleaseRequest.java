package io.holdfast.client.wire;

import io.holdfast.client.service.ServiceException;

import java.util.concurrent.CompletableFuture;

/** Renews or releases. Both can be repeated: the token says which hold is meant. */
abstract class RenewOrReleaseRequest<T> extends TaggedRequest {
    final TaggedHold hold;
    final CompletableFuture<T> future;

    RenewOrReleaseRequest(TaggedHold hold, CompletableFuture<T> future) {
        this.hold = hold;
        this.future = future;
    }

    /** What to say if the hold is gone. */
    abstract T gone();

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
        future.complete(gone());
        return false;
    }

    @Override
    final boolean shouldResend(ResumedState resumedState) {
        if (!hold.isOf(resumedState) || resumedState.isHeld(hold.tag())) {
            return true;
        }
        future.complete(gone());
        return false;
    }

    /** Starts the lease anew. */
    static final class Renew extends RenewOrReleaseRequest<Long> {
        private final long leaseNanos;
        private final long askedAtNanos;

        Renew(TaggedHold hold, long leaseNanos, long askedAt, CompletableFuture<Long> future) {
            super(hold, future);
            this.leaseNanos = leaseNanos;
            this.askedAtNanos = askedAt;
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
        boolean isOver(long now) {
            return future.isDone();
        }

        @Override
        void answer(String answer) throws BadLineException {
            if (answer.startsWith("ok ")) {
                long lease = WireDuration.parse(answer.substring(3));
                hold.renewed(askedAtNanos + lease);
                future.complete(lease);
            } else if (answer.equals("error")) {
                future.complete(gone());
            } else {
                future.completeExceptionally(hold.refused(answer));
            }
        }

        @Override
        Long gone() {
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

    /** Gives back. Who asked may have stopped waiting: the server is told nevertheless. */
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
        void answer(String answer) {
            // If it is not held now, the first sending, whose answer was lost, may have done it.
            hold.forget();
            future.complete(answer.equals("ok") || wasRepeated());
        }

        @Override
        Boolean gone() {
            hold.forget();
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
