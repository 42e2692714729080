package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

/**
 * What the engines of one server share: the fence counter and what is left of each limit. It is an
 * argument of {@link LockEngine#apply} because several engines may draw on one ledger, and because
 * replicas must draw on equal ones.
 *
 * <p>Whatever is reserved is returned once, with equal arguments, when it is gone.
 */
public interface Quotas {
    /** Who makes state, for limits that each client has; null is one without such limits. */
    interface Client {}

    /** A number above every one given out before, restarts included. */
    long nextFence();

    /** The client of a session. */
    default @Nullable Client client(long session) {
        return null;
    }

    /** Reserves one more lock or semaphore, unless a limit is reached. */
    boolean reserveKey(Key key, @Nullable Client client);

    void returnKey(Key key, @Nullable Client client);

    /** Reserves one more name that is only claimed, unless a limit is reached. */
    boolean reserveTransientKey(Key key, @Nullable Client client);

    /** The name is gone, or is remembered from now on. */
    void returnTransientKey(Key key, @Nullable Client client);

    /** Reserves one more hold, unless a limit is reached. */
    boolean reserveHold(@Nullable Client client);

    void returnHold(@Nullable Client client);

    /** Reserves one more wait, unless a limit is reached. */
    boolean reserveWait(@Nullable Client client);

    void returnWait(@Nullable Client client);

    /** A wait is a hold from now on; this cannot be refused. */
    void grantWait(@Nullable Client client);

    /** A hold is that of another client from now on; this cannot be refused. */
    void passHold(@Nullable Client from, @Nullable Client to);

    /** Reserves one more counter, value or list, unless a limit is reached. */
    boolean reserveEntry(Key key, @Nullable Client client);

    void returnEntry(Key key, @Nullable Client client);

    /** Reserves memory for the content of a value or for an item, unless a limit is reached. */
    boolean reserveContent(int bytes);

    void returnContent(int bytes);
}
