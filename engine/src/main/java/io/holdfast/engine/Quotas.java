package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

/**
 * What the engines of one server share: the fence counter and the remaining amount of each limit.
 * It is an argument of {@code LockEngine.apply} because several engines may share one, and because
 * replicas must use equal ones.
 *
 * <p>Every successful reservation is returned once, with equal arguments, when the state it was
 * made for has ended.
 */
public interface Quotas {
    /** A client, for the limits of each client; null is a client without such limits. */
    interface Client {}

    /** The next fence: greater than all issued before, restarts included. */
    long nextFence();

    /** The client of a session. */
    default @Nullable Client client(long session) {
        return null;
    }

    /** Reserves one more lock or semaphore, unless a limit is reached. */
    boolean reserveKey(Key key, @Nullable Client client);

    void returnKey(Key key, @Nullable Client client);

    /** Reserves one more key that is only try-acquired, unless a limit is reached. */
    boolean reserveTransientKey(Key key, @Nullable Client client);

    /** The key was dropped, or is retained from now on. */
    void returnTransientKey(Key key, @Nullable Client client);

    /** Reserves one more hold, unless a limit is reached. */
    boolean reserveHold(@Nullable Client client);

    void returnHold(@Nullable Client client);

    /** Reserves one more waiter, unless a limit is reached. */
    boolean reserveWait(@Nullable Client client);

    void returnWait(@Nullable Client client);

    /** A waiter has become a hold; this cannot be refused. */
    void grantWait(@Nullable Client client);

    /** A hold has passed to another client; this cannot be refused. */
    void passHold(@Nullable Client from, @Nullable Client to);

    /** Reserves one more counter, value or list, unless a limit is reached. */
    boolean reserveEntry(Key key, @Nullable Client client);

    void returnEntry(Key key, @Nullable Client client);

    /** Reserves memory for the content of a value or for an item, unless a limit is reached. */
    boolean reserveContent(int bytes);

    void returnContent(int bytes);
}
