package io.holdfast.cluster.driver;

import java.util.function.Consumer;

/** The way into the log. Every method may be called from any thread. */
public interface ReplicatedLog {
    /**
     * Tries to bring an entry in. It may get in even if it is said to have failed, but not after
     * another one that was proposed later.
     *
     * @param outcome told at most once whether it got in, on any thread; not always if it did
     */
    void propose(byte[] entry, Consumer<Boolean> outcome);

    /**
     * What was proposed got nowhere: if another leads, what comes now goes over a new connection.
     */
    void reconnectToLeader();

    /** Whether this node leads, and may bring entries in without asking another. */
    boolean isLeader();

    /** Whether no other node has a copy of it, so that none can lead while this one is paused. */
    boolean isAlone();

    /** The term that this node leads in, or knows of. */
    long term();

    /** The time that an entry would have that this node appended now, as the leader. */
    long clockNanos();
}
