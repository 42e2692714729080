package io.holdfast.cluster.driver;

import io.holdfast.cluster.Member;
import io.holdfast.cluster.entry.EntryTime;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.ReplicatedSettings;
import io.holdfast.cluster.state.Replica;
import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.Driver;
import io.holdfast.driver.DriverConfig;
import io.holdfast.driver.DriverObserver;
import io.holdfast.driver.EffectMailbox;
import io.holdfast.driver.SaltGenerator;
import io.holdfast.driver.SessionScan;
import io.holdfast.driver.SessionView;
import io.holdfast.driver.signal.SignalClient;
import io.holdfast.driver.signal.SignalEmitter;
import io.holdfast.driver.signal.SignalService;
import io.holdfast.driver.view.Queries;
import io.holdfast.driver.view.ScanCursor;

import org.jspecify.annotations.Nullable;

import java.util.UUID;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Serves the sessions of this node through the replicated log: a {@link ReplicatedSession} adds
 * what its client submits to the {@link BatchForwarder}, which proposes it, and the {@link
 * LogEntryApplier} applies what was committed and delivers the results. It has no thread of its
 * own: its owner applies committed entries, calls {@link #flush} when {@link Environment#flushSoon}
 * was called, and calls {@link #tick} and {@link #watch} periodically.
 *
 * <p>Lock order: the replica, a session, the {@link NodeLease}, the forwarder.
 */
public final class ReplicatedDriver implements Driver {
    /** What the driver needs from its owner. */
    public interface Environment {
        /** Arranges that {@link #flush} is called soon. */
        void flushSoon();

        /** Arranges that {@link #tick} is called soon. */
        void tickSoon();

        /** Returns a random UUID. */
        UUID randomUuid();

        /** Returns the time of the wall clock. */
        long wallClockNanos();

        /** Runs a task later, without any lock of the driver. */
        void runLater(Runnable task);
    }

    private final ReplicatedLog replicatedLog;
    private final LongSupplier clock;
    private final Environment environment;
    private final BatchForwarder forwarder;
    private final NodeLease lease;
    private final SessionRegistry sessions;
    private final LogEntryApplier logEntryApplier;
    private final LocalReplica replica;
    private final SessionServices services;
    private final LeaderTasks leaderTasks;
    private final VersionAnnouncer announcer;
    private final SaltGenerator saltGenerator = new SaltGenerator();

    /**
     * @param self this node as a member
     * @param known the highest version of the cluster that this node knows
     * @param checkNanos the time between two checks of the state while this node leads; 0 for none
     */
    public ReplicatedDriver(
            Member self,
            int known,
            ReplicatedSettings replicatedSettings,
            DriverConfig config,
            long requestTimeoutNanos,
            long checkNanos,
            ReplicatedLog replicatedLog,
            LongSupplier clock,
            Environment environment) {
        DriverObserver observer = config.watcher();
        this.replicatedLog = replicatedLog;
        this.clock = clock;
        this.environment = environment;
        this.forwarder = new BatchForwarder(replicatedLog, clock, environment::flushSoon);
        this.lease =
                new NodeLease(
                        self.name(),
                        replicatedSettings.sessionNanos(),
                        replicatedLog,
                        forwarder,
                        clock,
                        environment);
        this.sessions = new SessionRegistry(lease, observer, environment);
        this.logEntryApplier =
                new LogEntryApplier(
                        self.name(),
                        known,
                        replicatedSettings,
                        config,
                        lease,
                        sessions,
                        forwarder,
                        clock,
                        environment);
        this.replica = logEntryApplier.replica();
        this.services =
                new SessionServices(
                        sessions,
                        lease,
                        forwarder,
                        new ProposalLimits(config, replica),
                        new Queries(replica),
                        replica.withState(Replica::signals),
                        requestTimeoutNanos,
                        clock);
        this.announcer = new VersionAnnouncer(self, known, replicatedLog);
        this.leaderTasks =
                new LeaderTasks(
                        replicatedLog,
                        replicatedSettings,
                        known,
                        config.collectEvery().toNanos(),
                        checkNanos,
                        environment);
        observer.lookUpElsewhere(replica::clientOf);
    }

    // ---- called by the owner

    /** Applies the next entry of the log. */
    public void apply(long term, EntryTime time, LogEntry logEntry) {
        if (lease.beginCutOff(clock.getAsLong())) {
            cutOff(); // first: a late node must not deliver outdated effects
        }
        logEntryApplier.apply(term, time, logEntry);
    }

    /** Proposes pending items. */
    public void flush() {
        forwarder.flush();
    }

    /**
     * Does the periodic work: timeouts, heartbeats, joining and the leader's tasks. Returns the
     * time until the next call is due, in nanoseconds.
     */
    public long tick() {
        long now = clock.getAsLong();
        boolean silent = forwarder.resendIfSilent(now);
        logEntryApplier.tick(now);
        boolean cut = lease.beginCutOff(now);
        if (!cut && replica.withState(state -> state.cluster() != null)) {
            lease.join(now); // not before fences are above those of the server before this cluster
        }
        lease.beat(now);
        if (replica.withState(announcer::isDue)) {
            announcer.announce(now, forwarder.version());
        }
        long next = replica.withState(state -> leaderTasks.tick(state, now));
        if (silent) {
            replicatedLog.reconnectToLeader();
        }
        if (cut) {
            cutOff();
        }
        environment.flushSoon(); // not on this thread: batches must keep their order
        return next;
    }

    /**
     * Disconnects the clients if this node has been without contact for too long. It never waits
     * for a lock that is held during a disk write.
     */
    public void watch() {
        if (lease.beginCutOffIfOutOfContact(clock.getAsLong())) {
            cutOff();
        }
    }

    private void cutOff() {
        try {
            sessions.cutOff();
        } finally {
            lease.endCutOff();
        }
    }

    /** Runs a task on the state, which is locked meanwhile. */
    public <T extends @Nullable Object> T withState(Function<Replica, T> task) {
        return replica.withState(task);
    }

    /** The leader has changed; it may be this node. */
    public void leaderChanged() {
        forwarder.leaderChanged();
        environment.tickSoon();
    }

    /** Disconnects the clients at once, and serves none any more. */
    public void stopServing() {
        lease.cutOffAndClose();
        if (lease.beginCutOff(clock.getAsLong())) {
            cutOff();
        }
    }

    /** Whether this node serves clients. */
    public boolean isServing() {
        return lease.incarnation() != 0;
    }

    /** Returns the version of the cluster as this node's replica has it. Never waits. */
    public int version() {
        return forwarder.version();
    }

    /** Returns for how long the oldest unapplied batch has been in flight; 0 if there is none. */
    public long unansweredNanos() {
        return forwarder.unansweredNanos();
    }

    /** Whether every item of the sessions has been applied here. */
    public boolean isQuiescent() {
        return forwarder.isEmpty();
    }

    /**
     * Proposes the end of the incarnation and begins no other one. Its sessions should have been
     * closed before.
     */
    public void leave() {
        lease.leave();
    }

    /** Whether this node's replica has applied the end of the incarnation. */
    public boolean hasLeft() {
        return lease.hasLeft();
    }

    // ---- called by front ends

    @Override
    public ReplicatedSession open(EffectMailbox effectMailbox, ClientInfo clientInfo) {
        return sessions.open(effectMailbox, clientInfo, services);
    }

    @Override
    public SignalService signals() {
        return services.signals();
    }

    @Override
    public SignalClient openSignals(
            EffectMailbox effectMailbox, ClientInfo clientInfo, SignalEmitter signalEmitter) {
        return new ReplicatedSignalClient(
                services.signals(), open(effectMailbox, clientInfo), true);
    }

    @Override
    public Queries queries() {
        return services.queries();
    }

    @Override
    public long quarantineLeftNanos() {
        return replica.quarantineLeftNanos();
    }

    @Override
    public long salt() {
        return saltGenerator.next();
    }

    @Override
    public int openSessions() {
        return sessions.all().size();
    }

    @Override
    public @Nullable String nameOf(long session) {
        ReplicatedSession local = sessions.find(session);
        ClientInfo client = local == null ? replica.clientOf(session) : local.client();
        return client == null ? null : client.name().get();
    }

    @Override
    public @Nullable SessionView session(long session) {
        ReplicatedSession local = sessions.find(session);
        return local == null ? replica.session(session) : local.view(clock.getAsLong());
    }

    @Override
    public boolean kick(long session) {
        ReplicatedSession local = sessions.find(session);
        return local != null && local.mailbox().kick();
    }

    @Override
    public ScanCursor<SessionView> listSessions() {
        return new SessionScan<>(sessions.all(), session -> session.view(clock.getAsLong()));
    }

    /** Begins no other incarnation. The log is closed by its owner. */
    @Override
    public void close() {
        lease.close();
    }
}
