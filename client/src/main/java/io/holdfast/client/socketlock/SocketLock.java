package io.holdfast.client.socketlock;

import java.util.function.Consumer;

/**
 * A lock that is held, until it is released or lost. If it joined a lock that the client had
 * already, the last of them to be released gives it back.
 *
 * <p>Look at {@link #isValid} before each step that must not happen twice, or show {@link #fence}
 * to what the lock protects: a process that was stopped for long may have lost it.
 */
public final class SocketLock implements AutoCloseable {
    private final ClientState clientState;
    private final ClientHold clientHold;

    /** Guarded by the desk. */
    boolean released;

    /** Whether it was lost before it was released. Guarded by the desk. */
    boolean lost;

    SocketLock(ClientState clientState, ClientHold clientHold) {
        this.clientState = clientState;
        this.clientHold = clientHold;
    }

    ClientHold held() {
        return clientHold;
    }

    /** How it was acquired; a read that joined a write has its mode. */
    public LockMode mode() {
        return clientHold.mode;
    }

    /**
     * A number that is higher for each lock acquired at this path, for the protected resource to
     * refuse those who come late. 0 if the primary has none to give: an original socketlock.
     */
    public long fence() {
        return clientHold.fence;
    }

    /**
     * Whether the lock is held at this moment. Never true while somebody else has been given it, as
     * long as this host runs Holdfast's primaries.
     */
    public boolean isValid() {
        return clientState.isValid(this);
    }

    /** What has become of it. */
    public LockState state() {
        return clientState.stateOf(this);
    }

    /** Tells of every change of {@link #state} from now on, on a thread of its own, in order. */
    public void onChange(Consumer<LockState> listener) {
        clientState.listen(this, listener);
    }

    /**
     * Gives it back. Works in an interrupted thread too, and never waits. A second call does
     * nothing.
     *
     * @return whether it had been held all the time; if not, somebody else may have had it
     */
    public boolean release() {
        return clientState.release(this);
    }

    /** Releases it. */
    @Override
    public void close() {
        release();
    }

    @Override
    public String toString() {
        return "SocketLock[" + clientHold.mode + " " + clientHold.lockId + " " + state() + "]";
    }
}
