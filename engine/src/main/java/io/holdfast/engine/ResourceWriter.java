package io.holdfast.engine;

import java.util.Map;

/** Writes keys with their holds and waits into a snapshot: all that decides what they do next. */
final class ResourceWriter {
    private final Deadlines deadlines;
    private final Map<Long, Session> sessions;
    private final SnapshotWriter out;

    ResourceWriter(Deadlines deadlines, Map<Long, Session> sessions, SnapshotWriter out) {
        this.deadlines = deadlines;
        this.sessions = sessions;
        this.out = out;
    }

    void write(Resource resource) {
        out.text(resource.key.namespace().name());
        out.bytes(resource.key.bytes());
        out.number(resource.limit());
        out.number(resource.lastActivityNanos);
        out.number(resource.lasting ? 1 : 0);
        out.number(resource.suspended ? 1 : 0);
        out.number(resource.heldSince);
        out.number(resource.holders());
        resource.holds()
                .forEach(
                        hold -> {
                            out.number(hold.session.id);
                            out.number(sessions.get(hold.session.id) == hold.session ? 1 : 0);
                            out.number(hold.session.enqueued(resource) == hold ? 1 : 0);
                            if (hold instanceof AskHold asked) {
                                out.number(asked.offered ? 2 : 1);
                                out.number(hold.mode() == Mode.READ ? 0 : 1);
                                out.number(asked.askedNanos);
                            } else {
                                out.number(0);
                                write(hold.terms());
                            }
                            out.number(hold.toldBy);
                            out.number(hold.request);
                            out.number(hold.fence);
                            out.number(hold.salt);
                            out.number(hold.leaseNanos);
                            out.number(deadlines.timeOf(hold));
                            out.number(hold.isScheduled() ? hold.sequence : 0);
                            out.number(hold.sinceNanos);
                            Heir heir = hold.heir;
                            out.number(heir == null ? 0 : heir.session());
                            out.number(heir == null ? 0 : heir.request());
                            out.number(heir == null ? 0 : heir.atNanos());
                        });
        out.number(resource.waiters);
        resource.eachWait(
                wait -> {
                    out.number(wait.session.id);
                    out.number(wait.enqueued ? 1 : 0);
                    if (wait instanceof AskWait asked) {
                        out.number(1);
                        out.number(wait.mode() == Mode.READ ? 0 : 1);
                        out.number(asked.confirmNanos);
                    } else {
                        out.number(0);
                        write(wait.terms());
                    }
                    out.number(wait.request);
                    out.number(wait.salt);
                    out.number(wait.leaseNanos);
                    out.number(deadlines.timeOf(wait));
                    out.number(wait.isScheduled() ? wait.sequence : 0);
                    out.number(wait.sinceNanos);
                    return true;
                });
    }

    private void write(Terms terms) {
        out.number(terms.mode() == Mode.READ ? 0 : 1);
        out.number(terms.bound() ? 1 : 0);
        out.number(terms.tracked() ? 1 : 0);
    }
}
