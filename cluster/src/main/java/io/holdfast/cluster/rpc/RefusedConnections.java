package io.holdfast.cluster.rpc;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the refused connections between this node and others, and the refused calls of
 * administrators. Logs each reason once for each of the others, and again after some minutes.
 * Thread-safe.
 */
public final class RefusedConnections {
    private static final Logger LOG = LoggerFactory.getLogger(RefusedConnections.class);
    private static final long LOG_AGAIN_NANOS = 600_000_000_000L;

    /** Reasons name what other nodes send, so their number has a limit. */
    private static final int MAX_REASONS = 256;

    private final LongAdder count = new LongAdder();
    private final Map<String, Long> loggedNanos = new ConcurrentHashMap<>();

    /** A connection to another node was refused, by either side. */
    public void outgoing(String node, String reason) {
        add("connection to another node refused", "node", node, reason);
    }

    /** A connection of another node, or a message over it, was refused. */
    public void incoming(String node, String reason) {
        add("connection of another node refused", "node", node, reason);
    }

    /**
     * A call of an administrator was refused.
     *
     * @param address without the port, which differs for each connection
     */
    public void administrator(String address, String reason) {
        add("call of an administrator refused", "address", address, reason);
    }

    private void add(String message, String key, String from, String reason) {
        count.increment();
        if (loggedNanos.size() >= MAX_REASONS) {
            loggedNanos.clear();
        }
        long now = System.nanoTime();
        loggedNanos.compute(
                message + '\n' + from + '\n' + reason,
                (_, last) -> {
                    if (last != null && now - last < LOG_AGAIN_NANOS) {
                        return last;
                    }
                    LOG.atWarn().addKeyValue(key, from).addKeyValue("reason", reason).log(message);
                    return now;
                });
    }

    public long count() {
        return count.sum();
    }
}
