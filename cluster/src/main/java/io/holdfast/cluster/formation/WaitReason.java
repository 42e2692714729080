package io.holdfast.cluster.formation;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a node waits for before it serves: for its reports, and for the log from time to time. */
public final class WaitReason {
    private static final Logger LOG = LoggerFactory.getLogger(WaitReason.class);
    private static final long LOG_AFTER_NANOS = 3_000_000_000L;
    private static final long LOG_AGAIN_NANOS = 60_000_000_000L;

    /** The minimum time between two reasons in the log, which may alternate. */
    private static final long LOG_CHANGED_NANOS = 10_000_000_000L;

    private final String subject;
    private final long startNanos = System.nanoTime();
    private volatile String reason = "the node is starting";
    private String logged = "";
    private long loggedNanos;

    /**
     * @param subject begins the log message, as in {@code waiting for a cluster}
     */
    public WaitReason(String subject) {
        this.subject = subject;
    }

    /** Returns the reason as a sentence. May be called from any thread. */
    public String text() {
        return reason;
    }

    /** Changes the reason, and logs it: at once if somebody must do something. */
    public void set(String next, boolean atOnce) {
        reason = next;
        long now = System.nanoTime();
        boolean changed = !next.equals(logged);
        long againNanos = changed ? LOG_CHANGED_NANOS : LOG_AGAIN_NANOS;
        boolean due =
                (atOnce && changed)
                        || (now - startNanos > LOG_AFTER_NANOS
                                && (logged.isEmpty() || now - loggedNanos > againNanos));
        if (due) {
            logged = next;
            loggedNanos = now;
            LOG.atInfo().log("{}: {}", subject, next);
        }
    }
}
