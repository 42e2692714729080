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
    /** Connects to one server, {@code host:port}, with the usual settings. */
    static Holdfast connect(String address) {
        return builder().address(address).connect();
    }

    static HoldfastBuilder builder() {
        return new HoldfastBuilder();
    }

    /** One holder at a time. */
    HoldfastLock lock(String key);

    /** At most {@code limit} holders at a time; everyone must name the same limit. */
    HoldfastLock semaphore(String key, int limit);

    /** Many readers or one writer; a plain lock of the same key is a writer. */
    HoldfastReadWriteLock readWriteLock(String key);

    /**
     * All of the keys or none, taken in sorted order so that two of these cannot block each other.
     */
    HoldfastLock multiLock(Collection<String> keys);

    HoldfastLock multiLock(String... keys);

    /** One leader at a time among those who campaign for the key. */
    LeaderElection leaderElection(String key);

    Signals signals();

    Counter counter(String key);

    KeyValues kv();

    ItemList list(String key);

    /** Who has a key and how many wait for it. */
    KeyInfo info(String key);

    /** One entry per server. */
    List<ServerStats> stats();

    /**
     * Runs the task while holding the lock.
     *
     * @throws LeaseLostException if the lock was lost before the task ended well
     */
    <T> T withLock(String key, Duration timeout, Callable<T> task) throws Exception;

    /** A connection of its own, to the first address, with a method per command of the protocol. */
    DflockdConnection openConnection();

    /** What the server can; of shards, what all of them can. */
    Features features();

    /**
     * Releases everything that is held, ends everything that waits, and closes the connections.
     * Unbound holds are left alone: they end with their lease.
     */
    @Override
    void close();
}
