package io.holdfast.cluster.driver;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.cluster.entry.EntryTime;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.state.Replica;
import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.SessionView;
import io.holdfast.driver.view.EngineReader;
import io.holdfast.engine.view.SessionUsage;

import org.jspecify.annotations.Nullable;

import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * This node's replica of the state. Its monitor guards the replica; {@link LogEntryApplier} also
 * holds it while it handles what an entry does. It is acquired before the locks of sessions.
 */
final class LocalReplica implements EngineReader {
    private final LongSupplier clock;

    @GuardedBy("this")
    private final Replica state;

    /** When the last entry was applied, by this node's clock. */
    @GuardedBy("this")
    private long appliedNanos;

    LocalReplica(Replica state, LongSupplier clock) {
        this.state = state;
        this.clock = clock;
    }

    /** Applies the next entry. Returns whether something is due earlier than before. */
    synchronized boolean apply(long term, EntryTime time, LogEntry logEntry) {
        long due = state.nextDueNanos();
        state.apply(term, time, logEntry);
        appliedNanos = clock.getAsLong();
        return state.nextDueNanos() < due;
    }

    /** The state, for a caller that has locked this. */
    @GuardedBy("this")
    Replica state() {
        return state;
    }

    /** Runs a task on the state, which is locked meanwhile. */
    synchronized <T extends @Nullable Object> T withState(Function<Replica, T> task) {
        return task.apply(state);
    }

    /** Reads the views at an estimate of the state time. */
    @Override
    public synchronized <T extends @Nullable Object> T read(Query<T> query) {
        return query.read(state.engine().views(), estimatedNanos());
    }

    /** Returns an estimate of the state time, which moves only with entries. */
    @GuardedBy("this")
    private long estimatedNanos() {
        return state.timeNanos() + Math.max(0, clock.getAsLong() - appliedNanos);
    }

    /** Returns for how long about nothing but shared locks is granted; 0 without a quarantine. */
    synchronized long quarantineLeftNanos() {
        long end = state.engine().quarantineEndNanos();
        return end == Long.MIN_VALUE ? 0 : Math.max(0, end - estimatedNanos());
    }

    /** Returns the client of a session of any node; null if it has nothing in the state. */
    @Nullable ClientInfo clientOf(long session) {
        Replica.SessionInfo info =
                this.<Replica.@Nullable SessionInfo>withState(
                        replica -> replica.sessionInfo(session));
        return info == null ? null : new ClientInfo(info.protocol(), info::name, info.concurrent());
    }

    /** Returns a session of any node; null if it has nothing in the state. */
    synchronized @Nullable SessionView session(long session) {
        Replica.SessionInfo info = state.sessionInfo(session);
        String node = state.nodeOf(session);
        if (info == null || node == null) {
            return null;
        }
        SessionUsage usage = state.engine().views().usage(session);
        return new SessionView(
                session, info.protocol(), info.name(), -1, usage.holds(), usage.waits(), node);
    }
}
