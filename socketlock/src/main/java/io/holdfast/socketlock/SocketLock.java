package io.holdfast.socketlock;

import java.util.function.Consumer;

/**
 * A lock that is held until it is released or lost. If it joined a lock that the client already
 * held, the lock is released by the last of them.
 *
 * <p>Check {@link #isValid} before each step that must not happen twice, or pass {@link #fence} to
 * the protected resource: a process that was suspended for long may have lost the lock.
 */
public final class SocketLock implements AutoCloseable {
    private final ClientState clientState;
    private final ClientHold clientHold;

    /** Guarded by the monitor of {@link ClientState}. */
    boolean released;

    /**
     * Whether it was lost before it was released. Guarded by the monitor of {@link ClientState}.
     */
    boolean lost;

    SocketLock(ClientState clientState, ClientHold clientHold) {
        this.clientState = clientState;
        this.clientHold = clientHold;
    }

    ClientHold held() {
        return clientHold;
    }

    /** The mode of the lock; a read that joined a write lock has mode WRITE. */
    public LockMode mode() {
        return clientHold.mode;
    }

    /**
     * The fencing token: a number that grows with each lock acquired at this path, so that the
     * protected resource can reject requests with a smaller one. 0 if the primary does not support
     * it, as an original socketlock.
     */
    public long fence() {
        return clientHold.fence;
    }

    /**
     * Whether the lock is held at this moment. Never true while another client holds it, provided
     * that all primaries of the path are Holdfast's.
     */
    public boolean isValid() {
        return clientState.isValid(this);
    }

    /** The state of the lock. */
    public LockState state() {
        return clientState.stateOf(this);
    }

    /**
     * Registers a listener that is notified of every later change of {@link #state}, in order, on a
     * thread of its own.
     */
    public void onChange(Consumer<LockState> listener) {
        clientState.listen(this, listener);
    }

    /**
     * Releases the lock. Works in an interrupted thread too, and never blocks. A second call does
     * nothing.
     *
     * @return whether it was held until now; if not, another client may have held it meanwhile
     */
    public boolean release() {
        return clientState.release(this);
    }

    /** Releases the lock. */
    @Override
    public void close() {
        release();
    }

    @Override
    public String toString() {
        return "SocketLock[" + clientHold.mode + " " + clientHold.lockId + " " + state() + "]";
    }
}
