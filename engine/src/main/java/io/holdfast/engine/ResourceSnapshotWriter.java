package io.holdfast.engine;

import java.util.Map;

/**
 * Writes keys with their holds and waiters into a snapshot: everything that affects later results.
 */
final class ResourceSnapshotWriter {
    private final Deadlines deadlines;
    private final Map<Long, SessionState> sessions;
    private final SnapshotWriter out;

    ResourceSnapshotWriter(
            Deadlines deadlines, Map<Long, SessionState> sessions, SnapshotWriter out) {
        this.deadlines = deadlines;
        this.sessions = sessions;
        this.out = out;
    }

    void write(Resource resource) {
        out.text(resource.key.namespace().name());
        out.bytes(resource.key.bytes());
        out.number(resource.limit());
        out.number(resource.lastActivityNanos);
        out.number(resource.retained ? 1 : 0);
        out.number(resource.suspended ? 1 : 0);
        out.number(resource.heldSince);
        out.number(resource.holders());
        resource.holds()
                .forEach(
                        hold -> {
                            out.number(hold.session.id);
                            out.number(sessions.get(hold.session.id) == hold.session ? 1 : 0);
                            out.number(hold.session.enqueued(resource) == hold ? 1 : 0);
                            if (hold instanceof OfferHold asked) {
                                out.number(asked.offered ? 2 : 1);
                                out.number(hold.mode() == ReadWriteMode.READ ? 0 : 1);
                                out.number(asked.requestedNanos);
                            } else {
                                out.number(0);
                                write(hold.attributes());
                            }
                            out.number(hold.tokenSentBy);
                            out.number(hold.request);
                            out.number(hold.fence);
                            out.number(hold.salt);
                            out.number(hold.leaseNanos);
                            out.number(deadlines.timeOf(hold));
                            out.number(hold.isScheduled() ? hold.sequence : 0);
                            out.number(hold.sinceNanos);
                            Successor successor = hold.successor;
                            out.number(successor == null ? 0 : successor.session());
                            out.number(successor == null ? 0 : successor.request());
                            out.number(successor == null ? 0 : successor.atNanos());
                        });
        out.number(resource.waiters);
        resource.eachWait(
                waiter -> {
                    out.number(waiter.session.id);
                    out.number(waiter.enqueued ? 1 : 0);
                    if (waiter instanceof OfferWaiter asked) {
                        out.number(1);
                        out.number(waiter.mode() == ReadWriteMode.READ ? 0 : 1);
                        out.number(asked.confirmNanos);
                    } else {
                        out.number(0);
                        write(waiter.attributes());
                    }
                    out.number(waiter.request);
                    out.number(waiter.salt);
                    out.number(waiter.leaseNanos);
                    out.number(deadlines.timeOf(waiter));
                    out.number(waiter.isScheduled() ? waiter.sequence : 0);
                    out.number(waiter.sinceNanos);
                    return true;
                });
    }

    private void write(HoldAttributes holdAttributes) {
        out.number(holdAttributes.mode() == ReadWriteMode.READ ? 0 : 1);
        out.number(holdAttributes.bound() ? 1 : 0);
        out.number(holdAttributes.tracked() ? 1 : 0);
    }
}
