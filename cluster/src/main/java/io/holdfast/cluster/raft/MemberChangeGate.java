package io.holdfast.cluster.raft;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Keeps changes of the member list apart from raises of the cluster's version: a node that is being
 * added may not know the version to which the members raise it. For the leader, which does both.
 * Thread-safe.
 */
final class MemberChangeGate {
    @GuardedBy("this")
    private int changes;

    @GuardedBy("this")
    private boolean held;

    /** Stops changes until {@link #release}, unless one is in progress. Returns whether it did. */
    synchronized boolean hold() {
        held = changes == 0;
        return held;
    }

    synchronized void release() {
        held = false;
    }

    /**
     * Changes the member list, unless changes are stopped.
     *
     * @param change returns the end of the change
     */
    <T> CompletableFuture<T> change(Supplier<CompletableFuture<T>> change) {
        if (!begin()) {
            return CompletableFuture.failedFuture(
                    new IllegalStateException(
                            "the version of the cluster is being raised: try again"));
        }
        CompletableFuture<T> end;
        try {
            end = change.get();
        } catch (RuntimeException e) {
            end = CompletableFuture.failedFuture(e);
        }
        return end.whenComplete((_, _) -> end());
    }

    private synchronized boolean begin() {
        if (held) {
            return false;
        }
        changes++;
        return true;
    }

    private synchronized void end() {
        changes--;
    }
}
