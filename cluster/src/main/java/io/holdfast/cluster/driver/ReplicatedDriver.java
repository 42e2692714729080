package io.holdfast.cluster.driver;

import io.holdfast.cluster.entry.BatchItem;
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
import io.holdfast.driver.DriverConfig;
import io.holdfast.driver.EffectMailbox;
import io.holdfast.driver.MemoryBudgets;
import io.holdfast.driver.SaltGenerator;
import io.holdfast.driver.ScanCursor;
import io.holdfast.driver.Session;
import io.holdfast.driver.SessionView;
import io.holdfast.driver.signal.ChannelView;
import io.holdfast.driver.signal.DistributedSignals;
import io.holdfast.driver.signal.SignalDriver;
import io.holdfast.driver.signal.SignalListener;
import io.holdfast.driver.signal.SignalRequest;
import io.holdfast.engine.Command;
import io.holdfast.engine.CounterView;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineViews;
import io.holdfast.engine.HeldCounts;
import io.holdfast.engine.HoldOrWaiterView;
import io.holdfast.engine.HolderView;
import io.holdfast.engine.Key;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.KeyScan;
import io.holdfast.engine.KeyView;
import io.holdfast.engine.ListView;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.QueueView;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.ResourceKindUsage;
import io.holdfast.engine.ResourceView;
import io.holdfast.engine.SessionUsage;
import io.holdfast.engine.ValueView;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.Iterator;
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
import java.util.function.Supplier;

/**
 * Serves the sessions of this node by the log. It has no thread of its own: somebody applies what
 * the log says, calls {@link #flush} when told that there is something to send, and {@link #tick}
 * again and again.
 *
 * <p>Locks are taken in this order: the state, a session, the forwarder.
 */
public final class ReplicatedDriver implements SignalDriver {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicatedDriver.class);
    private static final int SLICE = 512;

    /** All of one server is told as one shard. */
    private static final int SHARD = 0;

    private static final long JOIN_AGAIN_NANOS = 500_000_000L;

    /** A stint says so often in a session timeout that it lives. */
    private static final int HEARTBEATS_PER_TIMEOUT = 8;

    /** After this part of the session timeout without being heard, clients are sent away. */
    private static final int CUT_OFF_PERCENT = 70;

    /** Reads what depends on the time. */
    interface Reader<T extends @Nullable Object> {
        T read(EngineViews views, long nowNanos);
    }

    /** What the driver needs of the world. */
    public interface Environment {
        /** {@link #flush} is to be called soon. */
        void flushSoon();

        /** {@link #tick} is to be called soon. */
        void tickSoon();

        /** A number that nobody else draws. */
        UUID randomUuid();

        /** What the clock on the wall says. */
        long wallClockNanos();

        /** Does something when no lock is held. */
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
    private final DistributedSignals signals;
    private final SaltGenerator saltGenerator = new SaltGenerator();
    private final Map<Long, ReplicatedSession> sessions = new ConcurrentHashMap<>();
    private final AtomicLong lastSession = new AtomicLong();

    /** Sessions without a stint that their owners cannot do without. */
    private final Queue<ReplicatedSession> sessionsWithoutIncarnation =
            new ConcurrentLinkedQueue<>();

    /** How many sessions may have something in the state. */
    private final AtomicInteger registeredSessions = new AtomicInteger();

    private volatile @Nullable String rejectionReason;
    private volatile boolean closing;

    /** How long the state lets a stint be silent. */
    private volatile long sessionNanos;

    /** What this node joins with, until the stint that it began is over. */
    private volatile @Nullable UUID nonce;

    private volatile long nextJoinNanos = Long.MIN_VALUE;

    /** How many are sending clients away, or about to: no other stint begins meanwhile. */
    private final AtomicInteger cutting = new AtomicInteger();

    private volatile boolean left;

    /** Guards everything below, and the state. */
    private final Object lock = new Object();

    private final ReplicaEventHandler replicaEventHandler = new ReplicaEventHandler();
    private final Replica replica;
    private final List<ReplicatedSession> woken = new ArrayList<>();
    private final List<Runnable> afterwards = new ArrayList<>();
    private final StaleGrantFilter staleGrants = new StaleGrantFilter();
    private long joinSentNanos;
    private long lastBeatNanos;
    private long knownSinceNanos;
    private long appliedNanos;
    private boolean cutOffDue;
    private boolean begun;

    public ReplicatedDriver(
            String node,
            UUID dataId,
            ReplicatedSettings replicatedSettings,
            DriverConfig config,
            long patienceNanos,
            ReplicatedLog replicatedLog,
            LongSupplier clock,
            Environment environment) {
        this.node = node;
        this.dataId = dataId;
        this.config = config;
        this.requestTimeoutNanos = patienceNanos;
        this.sessionNanos = replicatedSettings.sessionNanos();
        this.replicatedLog = replicatedLog;
        this.clock = clock;
        this.lastBeatNanos = clock.getAsLong(); // which may be below zero
        this.environment = environment;
        this.batchForwarder = new BatchForwarder(replicatedLog, clock);
        this.replica =
                new Replica(
                        replicatedSettings, config.memory(), this::usageOf, replicaEventHandler);
        this.signals = new ClusterSignals();
        this.leaderTasks =
                new LeaderTasks(
                        replicatedLog,
                        replicatedSettings,
                        config.collectEvery().toNanos(),
                        environment);
        config.watcher().lookUpElsewhere(this::peerElsewhere);
    }

    // ---- what the log says

    /** Applies the next entry of the log. */
    public void apply(long term, long stampNanos, LogEntry logEntry) {
        List<ReplicatedSession> toWake;
        List<Runnable> then;
        boolean cut;
        synchronized (lock) {
            cut = takeCutOff(clock.getAsLong());
        }
        if (cut) { // whoever is late must not tell what was true once
            cutOff();
        }
        synchronized (lock) {
            long due = replica.nextDueNanos();
            replica.apply(term, stampNanos, logEntry);
            sessionNanos = replica.rules().sessionNanos();
            appliedNanos = clock.getAsLong();
            publishEvents();
            if (replica.nextDueNanos() < due) {
                environment.tickSoon();
            }
            toWake = takeWoken();
            then = afterwards.isEmpty() ? List.of() : List.copyOf(afterwards);
            afterwards.clear();
        }
        for (ReplicatedSession session : toWake) {
            session.mailbox().wake();
        }
        then.forEach(Runnable::run);
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
        if (begun) { // not what happened before this node began to serve
            long behind = clock.getAsLong() - replica.timeNanos(); // observers have our clock
            for (int i = 0; i < events.size(); i++) {
                KeyEvent event = events.get(i);
                config.watcher().onEvent(SHARD, event.at(event.atNanos() + behind));
            }
        }
        events.clear();
    }

    /** Reads or replaces the state, which is locked meanwhile. */
    public <T extends @Nullable Object> T withState(Function<Replica, T> task) {
        synchronized (lock) {
            return task.apply(replica);
        }
    }

    /** Another node leads, or this one. */
    public void leaderChanged() {
        batchForwarder.leaderChanged();
        environment.flushSoon();
        environment.tickSoon();
    }

    /** Whether this node serves clients. */
    public boolean isServing() {
        return batchForwarder.incarnation() != 0;
    }

    /** For how long the oldest command of its clients has been under way; 0 if none is. */
    public long unansweredNanos() {
        return batchForwarder.unansweredNanos();
    }

    /** Why this node may not serve, if the cluster says so. */
    public @Nullable String rejectionReason() {
        return rejectionReason;
    }

    /** Hears what follows from entries. The state is locked. */
    private final class ReplicaEventHandler
            implements ReplicaListener, StaleGrantFilter.GrantListener {
        @Override
        public void onEffect(Effect effect) {
            ReplicatedSession session = sessions.get(effect.session());
            if (session == null || !session.wants(effect)) {
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
        public void onBatchStart(long stint, long sequence) {
            batchForwarder.observeBatch(stint, sequence);
        }

        @Override
        public void onItemApplied(BatchItem batchItem, @Nullable Effect answer) {
            ReplicatedSession session = sessions.get(batchItem.session());
            if (session == null) {
                return;
            }
            if (answer != null && batchItem instanceof BatchItem.Submit(Command.Keyed command)) {
                config.watcher().onResponse(SHARD, command, answer);
            }
            if (session.applied(batchItem, answer != null)) {
                woken.add(session);
            }
        }

        @Override
        public void onBatchApplied(long stint, long sequence) {
            if (batchForwarder.applied(stint, sequence)) {
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
        public void onIncarnationBegun(String name, UUID of, long stint) {
            if (batchForwarder.incarnation() == 0
                    && of.equals(nonce)) { // in this order: see cutOff
                List<PendingBatchItem> lost =
                        batchForwarder.end(); // what came after the last stint
                batchForwarder.begin(stint, joinSentNanos);
                staleGrants.clear(); // of sessions that were sent away
                begun = true;
                afterwards.add(
                        () -> {
                            giveUpAll(lost);
                            LOG.atInfo().addKeyValue("node", node).log("serving clients");
                            adoptSessions();
                        });
            }
        }

        @Override
        public void onIncarnationRejected(String name, UUID of, String reason) {
            if (of.equals(nonce)) {
                rejectionReason = reason;
            }
        }

        @Override
        public void onSessionEnded(long id) {
            ReplicatedSession session = sessions.get(id);
            ClientInfo elsewhere = session == null ? peerElsewhere(id) : null;
            if (elsewhere != null && begun) {
                afterwards.add(() -> config.watcher().closedElsewhere(id, elsewhere));
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
        public void onIncarnationEnded(long stint) {
            if (stint == batchForwarder.incarnation()) {
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

    // ---- what goes into the log

    void add(PendingBatchItem pendingBatchItem) {
        if (batchForwarder.add(pendingBatchItem)) {
            environment.flushSoon();
        }
    }

    /** Sends what there is to send; how long until more can be, if nobody says so before. */
    public long flush() {
        return batchForwarder.flush();
    }

    void registeredSessions(int more) {
        synchronized (registeredSessions) {
            if (registeredSessions.getAndAdd(more) == 0) {
                knownSinceNanos = clock.getAsLong();
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
     * Why a command is refused before it gets into the log, for want of memory on this node or
     * because its client has too much; null if it is not. What is on its way meanwhile may go
     * beyond a limit.
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
        ClientLimits most = config.perClient();
        boolean named = memory.names().isLeft() && !isFull(client, Counted.NAME, most.names());
        boolean held = memory.holds().isLeft() && !isFull(client, Counted.HOLD, most.names());
        boolean queued = memory.waits().isLeft() && !isFull(client, Counted.WAIT, most.waits());
        if (named && held && queued) {
            return null;
        }
        return read(
                (views, _) -> {
                    if (!views.isKnown(c.kind(), c.key())) {
                        return named && held ? null : Refusal.TOO_MANY_KEYS;
                    }
                    if (views.isFree(c.kind(), c.key())) {
                        return held ? null : Refusal.TOO_MANY_KEYS;
                    }
                    return queued || !waits ? null : Refusal.TOO_MANY_WAITERS;
                });
    }

    private static boolean isFull(@Nullable ClientUsage client, Counted what, int most) {
        return client != null && client.isFull(what, most);
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

    /** The time that is a span away. */
    long after(long spanNanos) {
        long now = clock.getAsLong();
        return now + spanNanos < now ? Long.MAX_VALUE : now + spanNanos;
    }

    /** Does what is due; how long until there may be more. */
    public long tick() {
        long now = clock.getAsLong();
        List<PendingBatchItem> unsent = new ArrayList<>(0);
        List<PendingBatchItem> unknown = new ArrayList<>(0);
        long next;
        boolean cut;
        boolean silent;
        List<ReplicatedSession> toWake;
        byte[] joining = null;
        synchronized (lock) { // nothing is answered while it is given up
            silent = batchForwarder.tick(now, unsent, unknown);
            unsent.forEach(pendingBatchItem -> giveUp(pendingBatchItem, true, false));
            unknown.forEach(
                    pendingBatchItem ->
                            giveUp(pendingBatchItem, false, isHeld(pendingBatchItem.item)));
            releaseStaleGrants(now);
            toWake = takeWoken();
            cut = takeCutOff(now);
            boolean over = batchForwarder.incarnation() == 0 && cutting.get() == 0;
            if (!cut && over && !closing && now >= nextJoinNanos) {
                joining = join(now);
            }
            if (registeredSessions.get() > 0
                    && now - lastBeatNanos >= sessionNanos / HEARTBEATS_PER_TIMEOUT) {
                lastBeatNanos = now;
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
        environment.flushSoon(); // not here: batches must not overtake each other
        return next;
    }

    /**
     * Sends clients away if the stint has not been heard of for too long. Needs no lock that
     * somebody has who waits for a disk.
     */
    public void watch() {
        cutting.incrementAndGet();
        try {
            if (batchForwarder.incarnation() != 0 && isUnheard(clock.getAsLong())) {
                cutOff();
            }
        } finally {
            cutting.decrementAndGet();
        }
    }

    /** Whether clients are to be sent away, which is then up to the caller. */
    private boolean takeCutOff(long now) {
        boolean due = cutOffDue || (batchForwarder.incarnation() != 0 && isUnheard(now));
        cutOffDue = false;
        return due;
    }

    private boolean isUnheard(long now) {
        long since;
        synchronized (registeredSessions) {
            if (registeredSessions.get() == 0) {
                return false;
            }
            since = Math.max(batchForwarder.lastContactNanos(), knownSinceNanos);
        }
        return now - since > sessionNanos / 100 * CUT_OFF_PERCENT && !replicatedLog.isAlone();
    }

    private byte[] join(long now) {
        UUID mine = nonce;
        if (mine == null) {
            mine = environment.randomUuid();
            nonce = mine;
            joinSentNanos = now;
        }
        nextJoinNanos = now + JOIN_AGAIN_NANOS;
        return LogEntryEncoding.encode(new LogEntry.BeginIncarnation(node, dataId, mine));
    }

    private static void giveUp(PendingBatchItem pendingBatchItem, boolean neverIn, boolean holds) {
        ReplicatedSession session = pendingBatchItem.session;
        if (session != null) {
            session.timeOut(pendingBatchItem.item, neverIn, holds);
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
     * The stint is over, or will be before long, and its sessions with it: clients are sent away
     * before another can have what they hold.
     */
    private void cutOff() {
        cutting.incrementAndGet();
        try {
            sendAllAway();
        } finally {
            cutting.decrementAndGet();
        }
    }

    private void sendAllAway() {
        if (!closing) {
            LOG.warn(
                    "no contact with the leader for too long; closing client connections before"
                            + " their sessions expire");
        }
        nonce = null; // first: without a stint, it would begin the same one again
        List<PendingBatchItem> lost = batchForwarder.end();
        nextJoinNanos = Long.MIN_VALUE;
        List<ReplicatedSession> all = List.copyOf(sessions.values());
        for (ReplicatedSession session : all) {
            Runnable released = session.cut();
            if (released != null) {
                forget(session);
                released.run();
            } else {
                sendAway(session);
            }
        }
        lost.addAll(batchForwarder.end()); // what came in between
        lost.removeIf(pendingBatchItem -> pendingBatchItem.timedOut);
        giveUpAll(lost);
    }

    private static void giveUpAll(List<PendingBatchItem> lost) {
        lost.forEach(pendingBatchItem -> giveUp(pendingBatchItem, true, false));
        lost.forEach(ReplicatedDriver::wake);
    }

    /** Lets those who have no stint go on in this one, if there is one. */
    private void adoptSessions() {
        for (long stint = batchForwarder.incarnation();
                stint != 0;
                stint = batchForwarder.incarnation()) {
            ReplicatedSession session = sessionsWithoutIncarnation.poll();
            if (session == null) {
                return;
            }
            long before = session.id();
            long next = newId(stint);
            sessions.put(next, session);
            sessions.remove(session.move(next) ? before : next, session);
            if (batchForwarder.incarnation()
                    != stint) { // it ended meanwhile, without knowing of this one
                session.cut();
                sessionsWithoutIncarnation.add(session);
            }
        }
    }

    /** Whether everything that sessions asked for has been applied here. */
    public boolean isQuiescent() {
        return batchForwarder.isEmpty();
    }

    /** Begins no other stint, and ends this one: its sessions should have ended before. */
    public void leave() {
        closing = true;
        long stint = batchForwarder.incarnation();
        left = stint == 0; // an earlier stint may have ended too
        if (stint != 0) {
            replicatedLog.propose(
                    LogEntryEncoding.encode(new LogEntry.EndIncarnation(stint)), _ -> {});
        }
    }

    /** Whether the stint is over, as far as this node's copy of the state says. */
    public boolean hasLeft() {
        return left;
    }

    // ---- signals

    @Override
    public DistributedSignals signals() {
        return signals;
    }

    /** Signals of all nodes. */
    private final class ClusterSignals implements DistributedSignals {
        private final ReplicatedSignals state = replica.signals();

        @Override
        public void submit(Session session, SignalRequest request) {
            ((ReplicatedSession) session).submit(request);
        }

        @Override
        public void attach(Session session, SignalListener signalListener) {
            state.attach(session.id(), signalListener);
        }

        @Override
        public void detach(Session session) {
            state.detach(session.id());
        }

        @Override
        public int listeners() {
            return state.listeners();
        }

        @Override
        public ScanCursor<ChannelView> list() {
            return state.list();
        }
    }

    // ---- sessions

    @Override
    public Session open(EffectMailbox effectMailbox, ClientInfo clientInfo) {
        long stint = batchForwarder.incarnation();
        ReplicatedSession session =
                new ReplicatedSession(
                        newId(stint), effectMailbox, clientInfo, clock.getAsLong(), this);
        sessions.put(session.id(), session);
        if (stint == 0
                || batchForwarder.incarnation() != stint) { // nobody could be served, or it ended
            session.cut();
            environment.runLater(() -> sendAway(session));
        }
        config.watcher().onSessionOpened(session.id(), clientInfo);
        return session;
    }

    private void sendAway(ReplicatedSession session) {
        if (!session.mailbox().kick()) {
            sessionsWithoutIncarnation.add(session);
            adoptSessions(); // if a stint has begun meanwhile
        }
    }

    private long newId(long stint) {
        return SessionIdEncoding.of(stint, lastSession.incrementAndGet());
    }

    void forget(ReplicatedSession session) {
        sessions.remove(session.id());
        signals.detach(session);
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
        ReplicatedSession here = sessions.get(session);
        if (here != null) {
            return here.peer().name().get();
        }
        ClientInfo other = peerElsewhere(session);
        return other == null ? null : other.name().get();
    }

    /** Who is behind a session of another node, from the replicated state. */
    private @Nullable ClientInfo peerElsewhere(long session) {
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
        return found == null ? sessionElsewhere(session) : found.view(clock.getAsLong());
    }

    private @Nullable SessionView sessionElsewhere(long session) {
        synchronized (lock) {
            Replica.SessionInfo sessionInfo = replica.sessionInfo(session);
            String at = replica.nodeOf(session);
            if (sessionInfo == null || at == null) {
                return null;
            }
            SessionUsage had = replica.engine().views().usage(session);
            return new SessionView(
                    session,
                    sessionInfo.protocol(),
                    sessionInfo.name(),
                    -1,
                    had.holds(),
                    had.waits(),
                    at);
        }
    }

    @Override
    public boolean kick(long session) {
        ReplicatedSession found = sessions.get(session);
        return found != null && found.mailbox().kick();
    }

    @Override
    public ScanCursor<SessionView> listSessions() {
        Iterator<ReplicatedSession> rest = sessions.values().iterator();
        return new ScanCursor<>() {
            @Override
            public List<SessionView> next() {
                List<SessionView> slice = new ArrayList<>();
                while (slice.size() < SLICE && rest.hasNext()) {
                    slice.add(rest.next().view(clock.getAsLong()));
                }
                return slice;
            }

            @Override
            public void close() {}
        };
    }

    // ---- views: this node's own copy, which may be a little behind

    <T extends @Nullable Object> T read(Reader<T> reader) {
        synchronized (lock) {
            return reader.read(replica.engine().views(), nowInState());
        }
    }

    /** As far as can be told here: the state's own time stands still between entries. */
    private long nowInState() {
        return replica.timeNanos() + Math.max(0, clock.getAsLong() - appliedNanos);
    }

    @Override
    public List<HoldOrWaiterView> holdsAndWaiters(long session, int most) {
        return read((views, now) -> views.holdsAndWaiters(session, most, now));
    }

    @Override
    public @Nullable HolderView holders(ResourceKind resourceKind, Key key) {
        return this.<@Nullable HolderView>read((views, _) -> views.holders(resourceKind, key));
    }

    @Override
    public @Nullable KeyView view(ResourceKind resourceKind, Key key, int ahead, int most) {
        return this.<@Nullable KeyView>read(
                (views, now) -> views.view(resourceKind, key, ahead, most, now));
    }

    @Override
    public boolean isHolding(long session, ResourceKind resourceKind, Key key) {
        return read((views, _) -> views.isHolding(session, resourceKind, key));
    }

    @Override
    public HeldCounts countHeld(Namespace namespace, ResourceKind resourceKind) {
        return read((views, _) -> views.countHeld(namespace, resourceKind));
    }

    @Override
    public ResourceKindUsage countUse(ResourceKind resourceKind) {
        return read((views, _) -> views.countUse(resourceKind));
    }

    @Override
    public long[] waited(ResourceKind resourceKind, int most) {
        return read((views, now) -> views.waited(resourceKind, most, now));
    }

    @Override
    public ScanCursor<QueueView> listQueues(int most) {
        return list(views -> views.listQueues(most));
    }

    @Override
    public ScanCursor<HolderView> listHolders(Namespace namespace, ResourceKind resourceKind) {
        return list(views -> views.listHolders(namespace, resourceKind));
    }

    @Override
    public ScanCursor<ResourceView> listInUse() {
        return list(EngineViews::listInUse);
    }

    @Override
    public ScanCursor<ResourceView> listIdle() {
        return list(EngineViews::listIdle);
    }

    @Override
    public ScanCursor<CounterView> listCounters() {
        return list(EngineViews::listCounters);
    }

    @Override
    public ScanCursor<ValueView> listValues() {
        return list(EngineViews::listValues);
    }

    @Override
    public ScanCursor<ListView> listLists() {
        return list(EngineViews::listLists);
    }

    private <T> ScanCursor<T> list(Function<EngineViews, KeyScan<T>> open) {
        Supplier<KeyScan<T>> opened =
                () -> {
                    synchronized (lock) {
                        return open.apply(replica.engine().views());
                    }
                };
        KeyScan<T> keyScan = opened.get();
        return new ScanCursor<>() {
            private boolean ended;

            @Override
            public List<T> next() {
                List<T> slice = new ArrayList<>();
                synchronized (lock) {
                    while (slice.isEmpty() && !ended) {
                        ended = !keyScan.next(SLICE, nowInState(), slice);
                    }
                }
                return slice;
            }

            @Override
            public void close() {
                synchronized (lock) {
                    keyScan.close();
                }
            }
        };
    }

    /** The log is closed by whoever opened it. */
    @Override
    public void close() {
        closing = true;
    }
}
