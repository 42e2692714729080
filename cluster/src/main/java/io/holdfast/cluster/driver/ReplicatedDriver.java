package io.holdfast.cluster.driver;

import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.cluster.entry.EntryTime;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.LogEntryEncoding;
import io.holdfast.cluster.entry.ReplicatedSettings;
import io.holdfast.cluster.signal.ReplicatedSignals;
import io.holdfast.cluster.state.Replica;
import io.holdfast.cluster.state.ReplicaListener;
import io.holdfast.cluster.state.SessionIdEncoding;
import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.ClientLimits;
import io.holdfast.driver.ClientUsage;
import io.holdfast.driver.ClientUsage.Counted;
import io.holdfast.driver.Driver;
import io.holdfast.driver.DriverConfig;
import io.holdfast.driver.EffectMailbox;
import io.holdfast.driver.SaltGenerator;
import io.holdfast.driver.SessionScan;
import io.holdfast.driver.SessionView;
import io.holdfast.driver.memory.MemoryBudgets;
import io.holdfast.driver.signal.SignalClient;
import io.holdfast.driver.signal.SignalEmitter;
import io.holdfast.driver.signal.SignalService;
import io.holdfast.driver.view.EngineReader;
import io.holdfast.driver.view.Queries;
import io.holdfast.driver.view.ScanCursor;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Effect;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.SessionUsage;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Serves the sessions of this node through the replicated log. It has no thread of its own: its
 * owner applies committed entries, calls {@link #flush} when {@link Environment#flushSoon} was
 * called, and calls {@link #tick} periodically.
 *
 * <p>Lock order: the state, a session, the forwarder.
 */
public final class ReplicatedDriver implements Driver, EngineReader {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicatedDriver.class);

    /** All events and responses are reported as those of one shard. */
    private static final int SHARD = 0;

    private static final long JOIN_AGAIN_NANOS = 500_000_000L;

    /** The number of heartbeats of an incarnation in one session timeout. */
    private static final int HEARTBEATS_PER_TIMEOUT = 8;

    /**
     * The part of the session timeout without contact after which clients are disconnected, in
     * percent.
     */
    private static final int CUT_OFF_PERCENT = 70;

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

    private final String node;
    private final UUID dataId;
    private final DriverConfig config;
    private final long requestTimeoutNanos;
    private final ReplicatedLog replicatedLog;
    private final LongSupplier clock;
    private final Environment environment;
    private final BatchForwarder batchForwarder;
    private final LeaderTasks leaderTasks;
    private final ReplicatedSignals signals;
    private final Queries queries = new Queries(this);
    private final SaltGenerator saltGenerator = new SaltGenerator();
    private final Map<Long, ReplicatedSession> sessions = new ConcurrentHashMap<>();
    private final AtomicLong lastSession = new AtomicLong();

    /**
     * Sessions without an incarnation whose owners stay connected; they move to the next
     * incarnation.
     */
    private final Queue<ReplicatedSession> sessionsWithoutIncarnation =
            new ConcurrentLinkedQueue<>();

    /** The number of sessions that may have something in the state. */
    private final AtomicInteger registeredSessions = new AtomicInteger();

    private volatile @Nullable String rejectionReason;
    private volatile boolean closing;

    /** The session timeout of the replicated settings. */
    private volatile long sessionNanos;

    /**
     * The nonce of the current incarnation, or of the one that the node requests; null if there is
     * neither.
     */
    private volatile @Nullable UUID nonce;

    private volatile long nextJoinNanos = Long.MIN_VALUE;

    /**
     * The number of threads that disconnect clients, or are about to: no incarnation begins
     * meanwhile.
     */
    private final AtomicInteger cutOffsInProgress = new AtomicInteger();

    private volatile boolean left;

    /** Guards the fields below and the state. */
    private final Object lock = new Object();

    private final ReplicaEventHandler replicaEventHandler = new ReplicaEventHandler();
    private final Replica replica;
    private final List<ReplicatedSession> woken = new ArrayList<>();
    private final List<Runnable> afterwards = new ArrayList<>();
    private final StaleGrantFilter staleGrants = new StaleGrantFilter();
    private long joinSentNanos;
    private long lastHeartbeatNanos;
    private long registeredSinceNanos;
    private long appliedNanos;
    private boolean cutOffDue;
    private boolean begun;

    public ReplicatedDriver(
            String node,
            UUID dataId,
            ReplicatedSettings replicatedSettings,
            DriverConfig config,
            long requestTimeoutNanos,
            ReplicatedLog replicatedLog,
            LongSupplier clock,
            Environment environment) {
        this.node = node;
        this.dataId = dataId;
        this.config = config;
        this.requestTimeoutNanos = requestTimeoutNanos;
        this.sessionNanos = replicatedSettings.sessionNanos();
        this.replicatedLog = replicatedLog;
        this.clock = clock;
        this.lastHeartbeatNanos = clock.getAsLong(); // may be negative
        this.environment = environment;
        this.batchForwarder = new BatchForwarder(replicatedLog, clock);
        this.replica =
                new Replica(
                        replicatedSettings, config.memory(), this::usageOf, replicaEventHandler);
        this.signals = replica.signals();
        this.leaderTasks =
                new LeaderTasks(
                        replicatedLog,
                        replicatedSettings,
                        config.collectEvery().toNanos(),
                        environment);
        config.watcher().lookUpElsewhere(this::remoteClient);
    }

    // ---- applying the log

    /** Applies the next entry of the log. */
    public void apply(long term, EntryTime time, LogEntry logEntry) {
        List<ReplicatedSession> toWake;
        List<Runnable> afterUnlock;
        boolean cut;
        synchronized (lock) {
            cut = takeCutOff(clock.getAsLong());
        }
        if (cut) { // before applying: a late node must not deliver outdated effects
            cutOff();
        }
        synchronized (lock) {
            long due = replica.nextDueNanos();
            replica.apply(term, time, logEntry);
            sessionNanos = replica.rules().sessionNanos();
            appliedNanos = clock.getAsLong();
            publishEvents();
            if (replica.nextDueNanos() < due) {
                environment.tickSoon();
            }
            toWake = takeWoken();
            afterUnlock = afterwards.isEmpty() ? List.of() : List.copyOf(afterwards);
            afterwards.clear();
        }
        for (ReplicatedSession session : toWake) {
            session.mailbox().wake();
        }
        afterUnlock.forEach(Runnable::run);
    }

    private List<ReplicatedSession> takeWoken() {
        List<ReplicatedSession> taken = woken.isEmpty() ? List.of() : List.copyOf(woken);
        woken.clear();
        return taken;
    }

    private void releaseStaleGrants(long now) {
        if (!staleGrants.isEmpty()) {
            staleGrants.releaseReady(
                    replica.timeNanos(),
                    batchForwarder.lastContactNanos(),
                    now,
                    replicaEventHandler);
        }
    }

    private void publishEvents() {
        List<KeyEvent> events = replica.events();
        if (begun) { // not events from before this node began to serve
            long offset = clock.getAsLong() - replica.timeNanos(); // observers use our clock
            for (int i = 0; i < events.size(); i++) {
                KeyEvent event = events.get(i);
                config.watcher().onEvent(SHARD, event.at(event.atNanos() + offset));
            }
        }
        events.clear();
    }

    /** Runs a task on the state, which is locked meanwhile. */
    public <T extends @Nullable Object> T withState(Function<Replica, T> task) {
        synchronized (lock) {
            return task.apply(replica);
        }
    }

    /** The leader has changed; it may be this node. */
    public void leaderChanged() {
        batchForwarder.leaderChanged();
        environment.flushSoon();
        environment.tickSoon();
    }

    /** Whether this node serves clients. */
    public boolean isServing() {
        return batchForwarder.incarnation() != 0;
    }

    /** Returns for how long the oldest unapplied batch has been in flight; 0 if there is none. */
    public long unansweredNanos() {
        return batchForwarder.unansweredNanos();
    }

    /** Returns why the cluster rejected this node; null if it did not. */
    public @Nullable String rejectionReason() {
        return rejectionReason;
    }

    /** Handles what applying entries does. Called under {@link #lock}. */
    private final class ReplicaEventHandler
            implements ReplicaListener, StaleGrantFilter.GrantListener {
        @Override
        public void onEffect(Effect effect) {
            ReplicatedSession session = sessions.get(effect.session());
            if (session == null || !session.accepts(effect)) {
                return;
            }
            if (staleGrants.holdBack(
                    session,
                    effect,
                    replica.timeNanos(),
                    batchForwarder.lastContactNanos(),
                    clock.getAsLong())) {
                batchForwarder.heartbeat();
                environment.flushSoon();
            } else {
                deliver(session, effect);
            }
        }

        @Override
        public void deliver(ReplicatedSession session, Effect effect) {
            if (session.deliver(effect)) {
                woken.add(session);
            }
        }

        @Override
        public void reject(ReplicatedSession session, Effect effect) {
            ResourceKind resourceKind =
                    effect instanceof Effect.Granted(long id, long request, var key, _, _)
                            ? replica.engine().views().kindHeldBy(id, request, key)
                            : null;
            if (session.refuse(effect, resourceKind)) {
                woken.add(session);
            }
        }

        @Override
        public void onBatchStart(long incarnation, long sequence) {
            batchForwarder.observeBatch(incarnation, sequence);
        }

        @Override
        public void onItemApplied(BatchItem batchItem, @Nullable Effect result) {
            ReplicatedSession session = sessions.get(batchItem.session());
            if (session == null) {
                return;
            }
            if (result != null && batchItem instanceof BatchItem.Submit(Command.Keyed command)) {
                config.watcher().onResponse(SHARD, command, result);
            }
            if (session.applied(batchItem, result != null)) {
                woken.add(session);
            }
        }

        @Override
        public void onBatchApplied(long incarnation, long sequence) {
            if (batchForwarder.applied(incarnation, sequence)) {
                environment.flushSoon();
            }
            if (!staleGrants.isEmpty()) {
                staleGrants.releaseReady(
                        replica.timeNanos(),
                        batchForwarder.lastContactNanos(),
                        clock.getAsLong(),
                        this);
            }
        }

        @Override
        public void onIncarnationBegun(String name, UUID requestNonce, long incarnation) {
            // in this order: disconnectAll changes the two in the opposite order
            if (batchForwarder.incarnation() == 0 && requestNonce.equals(nonce)) {
                // items added since the last incarnation
                List<PendingBatchItem> lost = batchForwarder.end();
                batchForwarder.begin(incarnation, joinSentNanos);
                staleGrants.clear(); // those of disconnected sessions
                begun = true;
                afterwards.add(
                        () -> {
                            timeOutAll(lost);
                            LOG.atInfo().addKeyValue("node", node).log("serving clients");
                            adoptSessions();
                        });
            }
        }

        @Override
        public void onIncarnationRejected(String name, UUID requestNonce, String reason) {
            if (requestNonce.equals(nonce)) {
                rejectionReason = reason;
            }
        }

        @Override
        public void onSessionEnded(long id) {
            ReplicatedSession session = sessions.get(id);
            ClientInfo remote = session == null ? remoteClient(id) : null;
            if (remote != null && begun) {
                afterwards.add(() -> config.watcher().closedElsewhere(id, remote));
            }
            Runnable released = session == null ? null : session.ended();
            if (session != null && released != null) {
                afterwards.add(
                        () -> {
                            forget(session);
                            released.run();
                        });
            }
        }

        @Override
        public void onIncarnationEnded(long incarnation) {
            if (incarnation == batchForwarder.incarnation()) {
                left = true;
                cutOffDue = true;
                environment.tickSoon();
            }
        }

        @Override
        public void onStateReplaced() {
            sessionNanos = replica.rules().sessionNanos();
            if (batchForwarder.incarnation() != 0) {
                cutOffDue = true;
                environment.tickSoon();
            }
        }
    }

    // ---- proposing

    void add(PendingBatchItem pendingBatchItem) {
        if (batchForwarder.add(pendingBatchItem)) {
            environment.flushSoon();
        }
    }

    /**
     * Proposes pending items. Returns the time until more can be proposed, in nanoseconds, unless
     * {@link Environment#flushSoon} is called before.
     */
    public long flush() {
        return batchForwarder.flush();
    }

    void registeredSessions(int more) {
        synchronized (registeredSessions) {
            if (registeredSessions.getAndAdd(more) == 0) {
                registeredSinceNanos = clock.getAsLong();
            }
        }
    }

    boolean maySubscribe() {
        return config.memory().subscriptions().isLeft();
    }

    private @Nullable ClientUsage usageOf(long session) {
        ReplicatedSession found = sessions.get(session);
        return found == null ? null : found.peer().usage();
    }

    /**
     * Returns why a command is refused before it is proposed: no memory on this node, or a limit of
     * its client; null if it is not refused. Commands in flight at the same time can exceed a
     * limit.
     */
    @Nullable Refusal limit(Command.Keyed command, @Nullable ClientUsage client) {
        return switch (command) {
            case Command.Acquire c -> limit(c, c.waitNanos() != 0, client);
            case Command.Enqueue c -> limit(c, true, client);
            case Command.RequestOffer c -> limit(c, true, client);
            case Command.TryAcquire c -> limit(c, false, client);
            case Command.Data c when c.operation().mayCreate() -> limit(c, client);
            default -> null;
        };
    }

    private @Nullable Refusal limit(
            Command.Locking c, boolean waits, @Nullable ClientUsage client) {
        MemoryBudgets memory = config.memory();
        ClientLimits limits = config.perClient();
        boolean keyFits = memory.names().isLeft() && !isFull(client, Counted.NAME, limits.names());
        boolean holdFits = memory.holds().isLeft() && !isFull(client, Counted.HOLD, limits.names());
        boolean waitFits = memory.waits().isLeft() && !isFull(client, Counted.WAIT, limits.waits());
        if (keyFits && holdFits && waitFits) {
            return null;
        }
        return read(
                (views, _) -> {
                    if (!views.isKnown(c.kind(), c.key())) {
                        return keyFits && holdFits ? null : Refusal.TOO_MANY_KEYS;
                    }
                    if (views.isFree(c.kind(), c.key())) {
                        return holdFits ? null : Refusal.TOO_MANY_KEYS;
                    }
                    return waitFits || !waits ? null : Refusal.TOO_MANY_WAITERS;
                });
    }

    private static boolean isFull(@Nullable ClientUsage client, Counted what, int limit) {
        return client != null && client.isFull(what, limit);
    }

    private @Nullable Refusal limit(Command.Data c, @Nullable ClientUsage client) {
        boolean full = isFull(client, Counted.ENTRY, config.perClient().entries());
        boolean scarce = !config.memory().data().isLeft();
        if (!full && !scarce) {
            return null;
        }
        boolean known = read((views, _) -> views.isKnown(c.operation(), c.key()));
        boolean grows =
                c.operation() instanceof DataOperation.SetValue
                        || c.operation() instanceof DataOperation.Push;
        return known && !(scarce && grows) ? null : Refusal.TOO_MANY_ENTRIES;
    }

    long requestTimeoutNanos() {
        return requestTimeoutNanos;
    }

    /** Returns the time after a duration; {@link Long#MAX_VALUE} on overflow. */
    long after(long durationNanos) {
        long now = clock.getAsLong();
        return now + durationNanos < now ? Long.MAX_VALUE : now + durationNanos;
    }

    /**
     * Does the periodic work: timeouts, heartbeats, joining and the leader's tasks. Returns the
     * time until the next call is due, in nanoseconds.
     */
    public long tick() {
        long now = clock.getAsLong();
        List<PendingBatchItem> unsent = new ArrayList<>(0);
        List<PendingBatchItem> unknown = new ArrayList<>(0);
        long next;
        boolean cut;
        boolean silent;
        List<ReplicatedSession> toWake;
        byte[] joining = null;
        synchronized (lock) { // no effect is delivered while items time out
            silent = batchForwarder.tick(now, unsent, unknown);
            unsent.forEach(pendingBatchItem -> timeOut(pendingBatchItem, true, false));
            unknown.forEach(
                    pendingBatchItem ->
                            timeOut(pendingBatchItem, false, isHeld(pendingBatchItem.item)));
            releaseStaleGrants(now);
            toWake = takeWoken();
            cut = takeCutOff(now);
            boolean over = batchForwarder.incarnation() == 0 && cutOffsInProgress.get() == 0;
            if (!cut && over && !closing && now >= nextJoinNanos) {
                joining = join(now);
            }
            if (registeredSessions.get() > 0
                    && now - lastHeartbeatNanos >= sessionNanos / HEARTBEATS_PER_TIMEOUT) {
                lastHeartbeatNanos = now;
                batchForwarder.heartbeat();
            }
            next = leaderTasks.tick(replica, now);
        }
        unsent.forEach(ReplicatedDriver::wake);
        unknown.forEach(ReplicatedDriver::wake);
        toWake.forEach(session -> session.mailbox().wake());
        if (silent) {
            replicatedLog.reconnectToLeader();
        }
        if (cut) {
            cutOff();
        }
        if (joining != null) {
            replicatedLog.propose(joining, _ -> {});
        }
        environment.flushSoon(); // not on this thread: batches must keep their order
        return next;
    }

    /**
     * Disconnects the clients if this node has been without contact for too long. It never waits
     * for a lock that is held during a disk write.
     */
    public void watch() {
        cutOffsInProgress.incrementAndGet();
        try {
            if (batchForwarder.incarnation() != 0 && isOutOfContact(clock.getAsLong())) {
                cutOff();
            }
        } finally {
            cutOffsInProgress.decrementAndGet();
        }
    }

    /** Whether clients must be disconnected. If true, the caller does so. */
    private boolean takeCutOff(long now) {
        boolean due = cutOffDue || (batchForwarder.incarnation() != 0 && isOutOfContact(now));
        cutOffDue = false;
        return due;
    }

    private boolean isOutOfContact(long now) {
        long since;
        synchronized (registeredSessions) {
            if (registeredSessions.get() == 0) {
                return false;
            }
            since = Math.max(batchForwarder.lastContactNanos(), registeredSinceNanos);
        }
        return now - since > sessionNanos / 100 * CUT_OFF_PERCENT && !replicatedLog.isAlone();
    }

    private byte[] join(long now) {
        UUID joinNonce = nonce;
        if (joinNonce == null) {
            joinNonce = environment.randomUuid();
            nonce = joinNonce;
            joinSentNanos = now;
        }
        nextJoinNanos = now + JOIN_AGAIN_NANOS;
        return LogEntryEncoding.encode(new LogEntry.BeginIncarnation(node, dataId, joinNonce));
    }

    private static void timeOut(
            PendingBatchItem pendingBatchItem, boolean neverProposed, boolean holds) {
        ReplicatedSession session = pendingBatchItem.session;
        if (session != null) {
            session.timeOut(pendingBatchItem.item, neverProposed, holds);
        }
    }

    private boolean isHeld(BatchItem batchItem) {
        return batchItem
                        instanceof
                        BatchItem.Submit(
                                Command.Enqueue(long id, _, var resourceKind, var key, _, _, _, _))
                && replica.engine().views().hasUnawaited(id, resourceKind, key);
    }

    private static void wake(PendingBatchItem pendingBatchItem) {
        ReplicatedSession session = pendingBatchItem.session;
        if (session != null) {
            session.mailbox().wake();
        }
    }

    /**
     * Disconnects all clients: the incarnation is over or will be soon, and with it its sessions.
     * Clients are disconnected before another session can be granted what they hold.
     */
    private void cutOff() {
        cutOffsInProgress.incrementAndGet();
        try {
            disconnectAll();
        } finally {
            cutOffsInProgress.decrementAndGet();
        }
    }

    private void disconnectAll() {
        if (!closing) {
            LOG.warn(
                    "no contact with the leader for too long; closing client connections before"
                            + " their sessions expire");
        }
        nonce = null; // first: the same incarnation must not begin again after its end here
        List<PendingBatchItem> lost = batchForwarder.end();
        nextJoinNanos = Long.MIN_VALUE;
        List<ReplicatedSession> all = List.copyOf(sessions.values());
        for (ReplicatedSession session : all) {
            Runnable released = session.cut();
            if (released != null) {
                forget(session);
                released.run();
            } else {
                disconnect(session);
            }
        }
        lost.addAll(batchForwarder.end()); // items added meanwhile
        lost.removeIf(pendingBatchItem -> pendingBatchItem.timedOut);
        timeOutAll(lost);
    }

    private static void timeOutAll(List<PendingBatchItem> lost) {
        lost.forEach(pendingBatchItem -> timeOut(pendingBatchItem, true, false));
        lost.forEach(ReplicatedDriver::wake);
    }

    /** Moves sessions without an incarnation to the current one, if there is one. */
    private void adoptSessions() {
        for (long incarnation = batchForwarder.incarnation();
                incarnation != 0;
                incarnation = batchForwarder.incarnation()) {
            ReplicatedSession session = sessionsWithoutIncarnation.poll();
            if (session == null) {
                return;
            }
            long before = session.id();
            long next = newId(incarnation);
            sessions.put(next, session);
            sessions.remove(session.move(next) ? before : next, session);
            if (batchForwarder.incarnation()
                    != incarnation) { // it ended meanwhile, without cutting off this session
                session.cut();
                sessionsWithoutIncarnation.add(session);
            }
        }
    }

    /** Whether every item of the sessions has been applied here. */
    public boolean isQuiescent() {
        return batchForwarder.isEmpty();
    }

    /**
     * Proposes the end of the incarnation and begins no other one. Its sessions should have been
     * closed before.
     */
    public void leave() {
        closing = true;
        long incarnation = batchForwarder.incarnation();
        left = incarnation == 0; // set already if an earlier incarnation has ended
        if (incarnation != 0) {
            replicatedLog.propose(
                    LogEntryEncoding.encode(new LogEntry.EndIncarnation(incarnation)), _ -> {});
        }
    }

    /** Whether this node's replica has applied the end of the incarnation. */
    public boolean hasLeft() {
        return left;
    }

    // ---- signals

    @Override
    public SignalService signals() {
        return signals;
    }

    @Override
    public SignalClient openSignals(
            EffectMailbox effectMailbox, ClientInfo clientInfo, SignalEmitter signalEmitter) {
        return new ReplicatedSignalClient(signals, open(effectMailbox, clientInfo), true);
    }

    SignalClient openSignals(ReplicatedSession session) {
        return new ReplicatedSignalClient(signals, session, false);
    }

    // ---- sessions

    @Override
    public ReplicatedSession open(EffectMailbox effectMailbox, ClientInfo clientInfo) {
        long incarnation = batchForwarder.incarnation();
        ReplicatedSession session =
                new ReplicatedSession(
                        newId(incarnation), effectMailbox, clientInfo, clock.getAsLong(), this);
        sessions.put(session.id(), session);
        if (incarnation == 0
                || batchForwarder.incarnation() != incarnation) { // not serving, or it ended
            session.cut();
            environment.runLater(() -> disconnect(session));
        }
        config.watcher().onSessionOpened(session.id(), clientInfo);
        return session;
    }

    private void disconnect(ReplicatedSession session) {
        if (!session.mailbox().kick()) {
            sessionsWithoutIncarnation.add(session);
            adoptSessions(); // an incarnation may have begun meanwhile
        }
    }

    private long newId(long incarnation) {
        return SessionIdEncoding.of(incarnation, lastSession.incrementAndGet());
    }

    void forget(ReplicatedSession session) {
        sessions.remove(session.id());
        signals.detach(session.id());
        config.watcher().onSessionClosed(session.id(), session.peer());
    }

    @Override
    public int openSessions() {
        return sessions.size();
    }

    @Override
    public long salt() {
        return saltGenerator.next();
    }

    @Override
    public @Nullable String nameOf(long session) {
        ReplicatedSession local = sessions.get(session);
        if (local != null) {
            return local.peer().name().get();
        }
        ClientInfo remote = remoteClient(session);
        return remote == null ? null : remote.name().get();
    }

    /** Returns the client of a session of another node, from the replicated state. */
    private @Nullable ClientInfo remoteClient(long session) {
        Replica.SessionInfo sessionInfo;
        synchronized (lock) {
            sessionInfo = replica.sessionInfo(session);
        }
        return sessionInfo == null
                ? null
                : new ClientInfo(
                        sessionInfo.protocol(), sessionInfo::name, sessionInfo.concurrent());
    }

    @Override
    public @Nullable SessionView session(long session) {
        ReplicatedSession found = sessions.get(session);
        return found == null ? remoteSession(session) : found.view(clock.getAsLong());
    }

    private @Nullable SessionView remoteSession(long session) {
        synchronized (lock) {
            Replica.SessionInfo sessionInfo = replica.sessionInfo(session);
            String nodeName = replica.nodeOf(session);
            if (sessionInfo == null || nodeName == null) {
                return null;
            }
            SessionUsage usage = replica.engine().views().usage(session);
            return new SessionView(
                    session,
                    sessionInfo.protocol(),
                    sessionInfo.name(),
                    -1,
                    usage.holds(),
                    usage.waits(),
                    nodeName);
        }
    }

    @Override
    public boolean kick(long session) {
        ReplicatedSession found = sessions.get(session);
        return found != null && found.mailbox().kick();
    }

    @Override
    public ScanCursor<SessionView> listSessions() {
        return new SessionScan<>(sessions.values(), session -> session.view(clock.getAsLong()));
    }

    // ---- queries: of this node's replica, which may be slightly behind

    @Override
    public Queries queries() {
        return queries;
    }

    @Override
    public <T extends @Nullable Object> T read(Query<T> query) {
        synchronized (lock) {
            return query.read(replica.engine().views(), estimatedStateNanos());
        }
    }

    /** Estimates the current state time, which does not advance between entries. */
    private long estimatedStateNanos() {
        return replica.timeNanos() + Math.max(0, clock.getAsLong() - appliedNanos);
    }

    /** Begins no other incarnation. The log is closed by its owner. */
    @Override
    public void close() {
        closing = true;
    }
}
