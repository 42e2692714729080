package io.holdfast.client;

import java.util.List;
import java.util.Optional;

/**
 * One connection in dflockd's plain mode, with one method per command of the protocol. Times are
 * whole seconds, as on the wire. Not safe for concurrent use. Locks acquired here are released when
 * the connection ends.
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
    /** The token and the lease of a granted lock. */
    record Grant(String token, long leaseSeconds) {
        /** The token is a secret. */
        @Override
        public String toString() {
            return "Grant[token=***, leaseSeconds=" + leaseSeconds + "]";
        }
    }

    /** {@code l}: acquires a lock; empty at the timeout. A lease of 0 is the server's default. */
    Optional<Grant> lock(String key, long timeoutSeconds, long leaseSeconds);

    /** {@code r}: releases a lock; false if it was not held with that token. */
    boolean release(String key, String token);

    /**
     * {@code n}: renews a lease and returns its seconds; empty if the lock was not held with that
     * token.
     */
    Optional<Long> renew(String key, String token, long leaseSeconds);

    /** {@code e}: enqueues; the grant if the lock was free, empty if queued. */
    Optional<Grant> enqueue(String key, long leaseSeconds);

    /** {@code w}: waits for the grant of an enqueued acquire; empty at the timeout. */
    Optional<Grant> await(String key, long timeoutSeconds);

    /** {@code sl}: as {@link #lock}, for a semaphore. */
    Optional<Grant> semaphoreLock(String key, long timeoutSeconds, long limit, long leaseSeconds);

    /** {@code sr}: as {@link #release}, for a semaphore. */
    boolean semaphoreRelease(String key, String token);

    /** {@code sn}: as {@link #renew}, for a semaphore. */
    Optional<Long> semaphoreRenew(String key, String token, long leaseSeconds);

    /** {@code se}: as {@link #enqueue}, for a semaphore. */
    Optional<Grant> semaphoreEnqueue(String key, long limit, long leaseSeconds);

    /** {@code sw}: as {@link #await}, for a semaphore. */
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

    /** Waits for the next signal; empty at the timeout. */
    Optional<Signals.Message> nextSignal(java.time.Duration timeout) throws InterruptedException;

    void ping();

    /** The server's statistics as JSON text. */
    String stats();

    @Override
    void close();
}
