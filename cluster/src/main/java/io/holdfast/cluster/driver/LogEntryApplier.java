package io.holdfast.cluster.driver;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.cluster.entry.EntryTime;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.ReplicatedSettings;
import io.holdfast.cluster.state.Replica;
import io.holdfast.cluster.state.ReplicaListener;
import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.DriverConfig;
import io.holdfast.driver.DriverObserver;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.ResourceKind;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * Applies the entries of the log to this node's replica, and delivers the effects for this node's
 * sessions. Sessions are woken, and other components notified, after the replica is unlocked.
 */
final class LogEntryApplier implements ReplicaListener, StaleGrantFilter.GrantListener {
    private static final Logger LOG = LoggerFactory.getLogger(LogEntryApplier.class);

    /** All events and responses are reported as those of one shard. */
    private static final int SHARD = 0;

    private final String node;
    private final DriverObserver observer;
    private final NodeLease lease;
    private final SessionRegistry sessions;
    private final BatchForwarder forwarder;
    private final LongSupplier clock;
    private final ReplicatedDriver.Environment environment;
    private final LocalReplica replica;

    @GuardedBy("replica")
    private final List<ReplicatedSession> woken = new ArrayList<>();

    /** What to run when the replica is unlocked. */
    @GuardedBy("replica")
    private final List<Runnable> afterwards = new ArrayList<>();

    @GuardedBy("replica")
    private final StaleGrantFilter staleGrants = new StaleGrantFilter();

    /** Whether this node has begun to serve. */
    @GuardedBy("replica")
    private boolean begun;

    /**
     * @param known the highest version of the cluster that this node knows
     */
    LogEntryApplier(
            String node,
            int known,
            ReplicatedSettings replicatedSettings,
            DriverConfig config,
            NodeLease lease,
            SessionRegistry sessions,
            BatchForwarder forwarder,
            LongSupplier clock,
            ReplicatedDriver.Environment environment) {
        this.node = node;
        this.observer = config.watcher();
        this.lease = lease;
        this.sessions = sessions;
        this.forwarder = forwarder;
        this.clock = clock;
        this.environment = environment;
        this.replica =
                new LocalReplica(
                        new Replica(
                                replicatedSettings,
                                known,
                                config.memory(),
                                sessions::usageOf,
                                this),
                        clock);
    }

    LocalReplica replica() {
        return replica;
    }

    /** Applies the next entry of the log. */
    void apply(long term, EntryTime time, LogEntry logEntry) {
        List<ReplicatedSession> toWake;
        List<Runnable> afterUnlock;
        synchronized (replica) {
            if (replica.apply(term, time, logEntry)) {
                environment.tickSoon();
            }
            stateChanged();
            publishEvents();
            toWake = takeWoken();
            afterUnlock = afterwards.isEmpty() ? List.of() : List.copyOf(afterwards);
            afterwards.clear();
        }
        afterUnlock.forEach(Runnable::run); // first: clients that are woken may look for it
        toWake.forEach(session -> session.mailbox().wake());
    }

    @GuardedBy("replica")
    private void stateChanged() {
        lease.sessionTimeout(replica.state().rules().sessionNanos());
        int version = replica.state().version();
        if (version != forwarder.version()) {
            forwarder.version(version);
            LOG.atInfo().addKeyValue("version", version).log("the cluster has another version now");
        }
    }

    /** Refuses requests whose timeout has passed, and delivers grants whose age is known by now. */
    void tick(long now) {
        List<PendingBatchItem> unsent = new ArrayList<>(0);
        List<PendingBatchItem> unknown = new ArrayList<>(0);
        List<ReplicatedSession> toWake;
        synchronized (replica) { // no effect is delivered while items time out
            forwarder.takeTimedOut(now, unsent, unknown);
            unsent.forEach(item -> item.timeOut(true, false));
            for (PendingBatchItem item : unknown) {
                item.timeOut(false, isHeld(item.item));
            }
            releaseStaleGrants(now);
            toWake = takeWoken();
        }
        unsent.forEach(PendingBatchItem::wake);
        unknown.forEach(PendingBatchItem::wake);
        toWake.forEach(session -> session.mailbox().wake());
    }

    @GuardedBy("replica")
    private boolean isHeld(BatchItem batchItem) {
        return batchItem
                        instanceof
                        BatchItem.Submit(
                                Command.Enqueue(long id, _, var resourceKind, var key, _, _, _, _))
                && replica.state().engine().views().hasUnawaited(id, resourceKind, key);
    }

    @GuardedBy("replica")
    private List<ReplicatedSession> takeWoken() {
        List<ReplicatedSession> taken = woken.isEmpty() ? List.of() : List.copyOf(woken);
        woken.clear();
        return taken;
    }

    @GuardedBy("replica")
    private void publishEvents() {
        List<KeyEvent> events = replica.state().events();
        if (begun) { // not events from before this node began to serve
            // observers use our clock
            long offset = clock.getAsLong() - replica.state().timeNanos();
            for (int i = 0; i < events.size(); i++) {
                KeyEvent event = events.get(i);
                observer.onEvent(SHARD, event.at(event.atNanos() + offset));
            }
        }
        events.clear();
    }

    // ---- what applying an entry does

    @Override
    @GuardedBy("replica")
    public void onEffect(Effect effect) {
        ReplicatedSession session = sessions.find(effect.session());
        if (session == null || !session.accepts(effect)) {
            return;
        }
        if (staleGrants.holdBack(
                session,
                effect,
                replica.state().timeNanos(),
                forwarder.lastContactNanos(),
                clock.getAsLong())) {
            forwarder.heartbeat();
        } else {
            deliver(session, effect);
        }
    }

    @Override
    @GuardedBy("replica")
    public void deliver(ReplicatedSession session, Effect effect) {
        if (session.deliver(effect)) {
            woken.add(session);
        }
    }

    @Override
    @GuardedBy("replica")
    public void reject(ReplicatedSession session, Effect effect) {
        ResourceKind resourceKind =
                effect instanceof Effect.Granted(long id, long request, var key, _, _)
                        ? replica.state().engine().views().kindHeldBy(id, request, key)
                        : null;
        if (session.refuse(effect, resourceKind)) {
            woken.add(session);
        }
    }

    @GuardedBy("replica")
    private void releaseStaleGrants(long now) {
        if (!staleGrants.isEmpty()) {
            staleGrants.releaseReady(
                    replica.state().timeNanos(), forwarder.lastContactNanos(), now, this);
        }
    }

    @Override
    public void onBatchStart(long incarnation, long sequence) {
        forwarder.observeBatch(incarnation, sequence);
    }

    @Override
    @GuardedBy("replica")
    public void onItemApplied(BatchItem batchItem, @Nullable Effect result) {
        ReplicatedSession session = sessions.find(batchItem.session());
        if (session == null) {
            return;
        }
        if (result != null && batchItem instanceof BatchItem.Submit(Command.Keyed command)) {
            observer.onResponse(SHARD, command, result);
        }
        if (session.applied(batchItem, result != null)) {
            woken.add(session);
        }
    }

    @Override
    @GuardedBy("replica")
    public void onBatchApplied(long incarnation, long sequence) {
        forwarder.applied(incarnation, sequence);
        releaseStaleGrants(clock.getAsLong());
    }

    @Override
    @GuardedBy("replica")
    public void onIncarnationBegun(String name, UUID requestNonce, long incarnation) {
        List<PendingBatchItem> lost = lease.begin(requestNonce, incarnation);
        if (lost == null) {
            return;
        }
        staleGrants.clear(); // those of disconnected sessions
        begun = true;
        afterwards.add(
                () -> {
                    PendingBatchItem.timeOutAll(lost);
                    LOG.atInfo().addKeyValue("node", node).log("serving clients");
                    sessions.adopt();
                });
    }

    @Override
    @GuardedBy("replica")
    public void onSessionEnded(long id) {
        ReplicatedSession session = sessions.find(id);
        ClientInfo remote = session == null ? replica.clientOf(id) : null;
        if (remote != null && begun) {
            afterwards.add(() -> observer.closedElsewhere(id, remote));
        }
        Runnable released = session == null ? null : session.ended();
        if (session != null && released != null) {
            afterwards.add(
                    () -> {
                        sessions.forget(session);
                        released.run();
                    });
        }
    }

    @Override
    public void onIncarnationEnded(long incarnation) {
        lease.ended(incarnation);
    }

    @Override
    @GuardedBy("replica")
    public void onStateReplaced() {
        stateChanged();
        lease.stateReplaced();
    }
}
