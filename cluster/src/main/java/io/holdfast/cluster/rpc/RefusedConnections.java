package io.holdfast.cluster.rpc;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the refused connections between this node and others, and the refused calls of
 * administrators. Logs each reason once for each of the others, and again after ten minutes; not
 * more than some in this time. Thread-safe.
 */
public final class RefusedConnections {
    private static final Logger LOG = LoggerFactory.getLogger(RefusedConnections.class);
    private static final long LOG_AGAIN_NANOS = 600_000_000_000L;

    /**
     * The maximum number of lines until the first is forgotten: they name what others send, who may
     * connect with another name each time.
     */
    static final int MAX_LINES = 64;

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
        if (isDue(message + '\n' + from + '\n' + reason, System.nanoTime())) {
            LOG.atWarn().addKeyValue(key, from).addKeyValue("reason", reason).log(message);
        }
    }

    /** Whether a line is to be logged now. */
    boolean isDue(String line, long now) {
        if (loggedNanos.size() >= MAX_LINES) {
            loggedNanos.values().removeIf(logged -> now - logged >= LOG_AGAIN_NANOS);
        }
        boolean isFull = loggedNanos.size() >= MAX_LINES;
        Long logged =
                loggedNanos.compute(
                        line,
                        (_, last) ->
                                last == null
                                        ? isFull ? null : (Long) now
                                        : now - last < LOG_AGAIN_NANOS ? last : (Long) now);
        return logged != null && logged == now;
    }

    public long count() {
        return count.sum();
    }
}
