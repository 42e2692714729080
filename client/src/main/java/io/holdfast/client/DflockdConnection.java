package io.holdfast.client;

import java.util.List;
import java.util.Optional;

/**
 * One plain connection with one method per command of the dflockd protocol; times are whole
 * seconds, as on the wire. Not for use by two threads at once. Locks taken here end with it.
 *
 * {@snippet :
 * try (DflockdConnection connection = holdfast.openConnection()) {
 *     DflockdConnection.Grant grant = connection.lock("deploy", 10, 30).orElseThrow();
 *     System.out.println(grant.leaseSeconds()); // 30
 *     System.out.println(connection.release("deploy", grant.token())); // true
 * }
 * }
 */
public interface DflockdConnection extends AutoCloseable {
    /** What a lock was granted with. */
    record Grant(String token, long leaseSeconds) {
        /** The token is a secret. */
        @Override
        public String toString() {
            return "Grant[token=***, leaseSeconds=" + leaseSeconds + "]";
        }
    }

    /** {@code l}; empty at a timeout. A lease of 0 is the server's default. */
    Optional<Grant> lock(String key, long timeoutSeconds, long leaseSeconds);

    /** {@code r}; false if it was not held by that token. */
    boolean release(String key, String token);

    /** {@code n}; empty if it was not held by that token. */
    Optional<Long> renew(String key, String token, long leaseSeconds);

    /** {@code e}; empty if queued. */
    Optional<Grant> enqueue(String key, long leaseSeconds);

    /** {@code w} */
    Optional<Grant> await(String key, long timeoutSeconds);

    /** {@code sl} */
    Optional<Grant> semaphoreLock(String key, long timeoutSeconds, long limit, long leaseSeconds);

    /** {@code sr} */
    boolean semaphoreRelease(String key, String token);

    /** {@code sn} */
    Optional<Long> semaphoreRenew(String key, String token, long leaseSeconds);

    /** {@code se} */
    Optional<Grant> semaphoreEnqueue(String key, long limit, long leaseSeconds);

    /** {@code sw} */
    Optional<Grant> semaphoreAwait(String key, long timeoutSeconds);

    long incr(String key, long by);

    long decr(String key, long by);

    long get(String key);

    void cset(String key, long value);

    void kset(String key, String value, long ttlSeconds);

    Optional<String> kget(String key);

    void kdel(String key);

    long lpush(String key, String item);

    long rpush(String key, String item);

    Optional<String> lpop(String key);

    Optional<String> rpop(String key);

    long llen(String key);

    List<String> lrange(String key, long first, long last);

    long signal(String channel, String payload);

    void listen(String pattern, String group);

    void unlisten(String pattern, String group);

    /** Waits for the next signal; empty if none came in time. */
    Optional<Signals.Message> nextSignal(java.time.Duration timeout) throws InterruptedException;

    void ping();

    /** The JSON text. */
    String stats();

    @Override
    void close();
}
