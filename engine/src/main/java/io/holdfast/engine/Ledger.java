package io.holdfast.engine;

/**
 * What the engines of one server share: the fence counter and the room that is left. It is an
 * argument of {@link LockEngine#apply} because several engines may draw on one ledger, and because
 * replicas must draw on equal ones.
 */
public interface Ledger {
    /** A number above every one given out before, restarts included. */
    long nextFence();

    /** Takes room for one more key, or says that there is none. */
    boolean reserveKey();

    /** Gives back the room of one key that is gone. */
    void returnKey();

    /** Takes room for one more hold or wait, or says that there is none. */
    boolean reserve();

    /** Gives back the room of a hold or wait that has ended. */
    void giveBack();
}
