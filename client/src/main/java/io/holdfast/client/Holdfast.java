package io.holdfast.client;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Locks and coordination from a Holdfast or dflockd server. Safe for use by many threads.
 *
 * {@snippet :
 * try (Holdfast holdfast = Holdfast.connect("127.0.0.1:6388");
 *         Hold hold = holdfast.lock("deploy").acquire(Duration.ofSeconds(10))) {
 *     deploy();
 *     System.out.println(hold.isHeld()); // true
 * }
 * }
 */
public interface Holdfast extends AutoCloseable {
    /** Connects to one server, {@code host:port}, with default settings. */
    static Holdfast connect(String address) {
        return builder().address(address).connect();
    }

    static HoldfastBuilder builder() {
        return new HoldfastBuilder();
    }

    /** A lock with one holder at a time. */
    HoldfastLock lock(String key);

    /**
     * A semaphore with at most {@code limit} holders at a time; all clients must use the same
     * limit.
     */
    HoldfastLock semaphore(String key, int limit);

    /** A lock with many readers or one writer; a plain lock of the same key counts as a writer. */
    HoldfastReadWriteLock readWriteLock(String key);

    /**
     * A lock of all of the keys or none. They are acquired in sorted order, so that two multi locks
     * cannot deadlock.
     */
    HoldfastLock multiLock(Collection<String> keys);

    HoldfastLock multiLock(String... keys);

    /** An election with one leader at a time among the candidates for the key. */
    LeaderElection leaderElection(String key);

    Signals signals();

    Counter counter(String key);

    KeyValues kv();

    ItemList list(String key);

    /** The holders of a key and its number of waiters. */
    KeyInfo info(String key);

    /** The statistics of each server: one entry per server. */
    List<ServerStats> stats();

    /**
     * Runs the task while holding the lock.
     *
     * @throws LeaseLostException if the lock was lost before the task completed normally
     */
    <T> T withLock(String key, Duration timeout, Callable<T> task) throws Exception;

    /**
     * Opens a separate connection to the first address, with one method per command of the
     * protocol.
     */
    DflockdConnection openConnection();

    /** The features of the server; with shards, those that all of them have. */
    Features features();

    /**
     * Releases all holds, ends all waits and closes the connections. Unbound holds are not
     * released: they end with their lease.
     */
    @Override
    void close();
}
