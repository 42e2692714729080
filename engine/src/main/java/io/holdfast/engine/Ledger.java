package io.holdfast.engine;

/**
 * What the engines of one server share: the fence counter and the room that is left. It is an
 * argument of {@link LockEngine#apply} because several engines may draw on one ledger, and because
 * replicas must draw on equal ones.
 */
public interface Ledger {
    /** A number above every one given out before, restarts included. */
    long nextFence();

    /** Takes room for one more lock or semaphore, or says that there is none. */
    boolean reserveKey();

    /** Gives back the room of a lock or semaphore that is gone. */
    void returnKey();

    /** Takes room for one more name that is only claimed, or says that there is none. */
    boolean reserveClaim();

    /** Gives back the room of a name that is claimed no more, or remembered from now on. */
    void returnClaim();

    /** Takes room for one more counter, value or list, or says that there is none. */
    boolean reserveEntry();

    /** Gives back the room of a counter, value or list that is gone. */
    void returnEntry();

    /** Takes room for one more hold, wait or piece of data, or says that there is none. */
    boolean reserve();

    /** Gives back the room of a hold or wait that has ended, or of data that is gone. */
    void giveBack();
}
