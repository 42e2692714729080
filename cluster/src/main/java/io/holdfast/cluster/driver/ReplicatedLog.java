package io.holdfast.cluster.driver;

import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/** Proposes entries to the replicated log. Every method may be called from any thread. */
public interface ReplicatedLog {
    /**
     * Proposes an entry. After a negative outcome it may still be committed, but never after an
     * entry that was proposed later.
     *
     * @param outcome called at most once with whether the entry was committed, on any thread; it
     *     may not be called for a committed entry
     */
    void propose(byte[] entry, Consumer<Boolean> outcome);

    /**
     * Replaces the connection to the leader, if another node leads, because proposals had no
     * outcome.
     */
    void reconnectToLeader();

    /** Whether this node is the leader and can append entries. */
    boolean isLeader();

    /**
     * Whether no other node has a replica, so that no other node can lead while this one is paused.
     */
    boolean isAlone();

    /**
     * Stops changes of the member list at this node as the leader, until {@link #releaseMembers} is
     * called: a node that is being added may not know the version to which the members raise that
     * of the cluster. Does not wait.
     *
     * @return the ids of the data directories of the members; empty if the list is changing, and
     *     then changes are not stopped
     */
    Set<UUID> holdMembers();

    /** Permits changes of the member list again. */
    void releaseMembers();

    /** Returns the latest term that this node knows. */
    long term();

    /**
     * Returns the time, by this node's clock as the leader, up to which deadlines would expire with
     * an entry that was appended now.
     */
    long dueNanos();
}
