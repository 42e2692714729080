package io.holdfast.driver.monitor;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.DriverObserver;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.ResourceKind;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * Collects what happens in a server: counters, histograms, the history of keys, the open sessions,
 * and a feed of events. Thread-safe; readers do not block the engines for long.
 */
public final class ServerMonitor implements DriverObserver {
    /** The metrics and key histories of one shard. Its lock is acquired under that of the shard. */
    private static final class ShardMonitor {
        final ShardMetrics metrics = new ShardMetrics();

        @GuardedBy("this")
        final KeyHistory history = new KeyHistory();
    }

    private final ShardMonitor[] shardMonitors;
    private final LongSupplier clock;
    private final ConcurrentMap<Long, ClientInfo> clients = new ConcurrentHashMap<>();
    private final RecentlyClosedSessions recentlyClosedSessions = new RecentlyClosedSessions();
    private final ConcurrentMap<String, ProtocolTraffic> traffic = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, LongAdder> sessions = new ConcurrentHashMap<>();
    private final List<EventSubscription> subscriptions = new CopyOnWriteArrayList<>();
    private final Histogram handOffs = new Histogram();
    private volatile LongFunction<@Nullable ClientInfo> otherNodes = _ -> null;

    /**
     * @param shards number of shards
     * @param clock the clock of the engines
     */
    public ServerMonitor(int shards, LongSupplier clock) {
        this.clock = clock;
        this.shardMonitors = new ShardMonitor[shards];
        for (int i = 0; i < shards; i++) {
            shardMonitors[i] = new ShardMonitor();
        }
    }

    @Override
    public void onEvent(int shard, KeyEvent keyEvent) {
        ShardMonitor shardMonitor = shardMonitors[shard];
        shardMonitor.metrics.count(keyEvent);
        synchronized (shardMonitor) {
            shardMonitor.history.record(keyEvent);
        }
        if (!subscriptions.isEmpty()) {
            publish(new ServerEvent.OnKey(keyEvent, peerOf(keyEvent.session())));
        }
    }

    @Override
    public void onResponse(int shard, Command.Keyed command, Effect result) {
        shardMonitors[shard].metrics.count(command, result);
    }

    @Override
    public void onSessionOpened(long session, ClientInfo clientInfo) {
        clients.put(session, clientInfo);
        sessions.computeIfAbsent(clientInfo.protocol(), _ -> new LongAdder()).increment();
        if (!subscriptions.isEmpty()) {
            publish(new ServerEvent.SessionOpened(session, clientInfo, clock.getAsLong()));
        }
    }

    @Override
    public void onSessionClosed(long session, ClientInfo clientInfo) {
        recentlyClosedSessions.add(session, clientInfo);
        clients.remove(session);
        sessions.computeIfAbsent(clientInfo.protocol(), _ -> new LongAdder()).decrement();
        if (!subscriptions.isEmpty()) {
            publish(new ServerEvent.SessionClosed(session, clientInfo, clock.getAsLong()));
        }
    }

    @Override
    public void lookUpElsewhere(LongFunction<@Nullable ClientInfo> others) {
        otherNodes = others;
    }

    @Override
    public void closedElsewhere(long session, ClientInfo clientInfo) {
        recentlyClosedSessions.add(session, clientInfo);
    }

    private void publish(ServerEvent serverEvent) {
        for (EventSubscription eventSubscription : subscriptions) {
            eventSubscription.offer(serverEvent);
        }
    }

    /**
     * Subscribes to all events from now on.
     *
     * @param filter called where the event happens: must be quick and must not call back
     * @param maxQueued maximum number of queued events
     * @param wake called when there are events to poll; called where the event happens, perhaps
     *     under a lock: must be quick and must not poll itself
     */
    public EventSubscription subscribe(
            Predicate<ServerEvent> filter, int maxQueued, Runnable wake) {
        EventSubscription created =
                new EventSubscription(filter, maxQueued, wake, subscriptions::remove);
        subscriptions.add(created);
        return created;
    }

    /** The latest events of a key, oldest first. */
    public List<KeyEvent> history(ResourceKind resourceKind, Key key) {
        List<KeyEvent> all = new ArrayList<>();
        // The key belongs to one shard, but the mapping is not known here.
        for (ShardMonitor shardMonitor : shardMonitors) {
            synchronized (shardMonitor) {
                all.addAll(shardMonitor.history.eventsOf(resourceKind, key));
            }
        }
        return all;
    }

    /** Converts a time of the engine's clock to wall-clock time. */
    public Instant timeOf(long atNanos) {
        return Instant.now().minusNanos(clock.getAsLong() - atNanos);
    }

    /** The number of events of a type for keys of a kind. */
    public long count(ResourceKind resourceKind, KeyEvent.Type type) {
        return sum(shardMetrics -> shardMetrics.events(resourceKind, type));
    }

    /** The number of successful operations; not counted for {@link OperationType#ACQUIRE}. */
    public long countDone(OperationType operationType, ResourceKind resourceKind) {
        return sum(shardMetrics -> shardMetrics.done(operationType, resourceKind));
    }

    /** The number of operations refused for a reason. */
    public long countRefused(
            OperationType operationType, ResourceKind resourceKind, Refusal reason) {
        return sum(shardMetrics -> shardMetrics.refused(operationType, resourceKind, reason));
    }

    private long sum(ToLongFunction<ShardMetrics> number) {
        long sum = 0;
        for (ShardMonitor shardMonitor : shardMonitors) {
            sum += number.applyAsLong(shardMonitor.metrics);
        }
        return sum;
    }

    /** The wait times of granted acquires; 0 if granted at once. */
    public Stream<Histogram> waits(ResourceKind resourceKind) {
        return Stream.of(shardMonitors)
                .map(shardMonitor -> shardMonitor.metrics.waits(resourceKind));
    }

    /** The durations of ended holds. */
    public Stream<Histogram> holds(ResourceKind resourceKind) {
        return Stream.of(shardMonitors)
                .map(shardMonitor -> shardMonitor.metrics.holds(resourceKind));
    }

    /** The delays between the end of a lease and its expiry. */
    public Stream<Histogram> lateness() {
        return Stream.of(shardMonitors).map(shardMonitor -> shardMonitor.metrics.lateness());
    }

    /** The times from the grant to a waiter until its connection processed it. */
    public Stream<Histogram> handOffs() {
        return Stream.of(handOffs);
    }

    /** Records the time from the grant to a waiter until its connection processed it. */
    public void handedOff(long nanos) {
        synchronized (handOffs) {
            handOffs.record(nanos);
        }
    }

    /** The max contended keys, in descending order of waits. */
    public List<ContendedKey> contended(int max) {
        Map<ContendedKey.ResourceId, Long> sum = new HashMap<>();
        for (ShardMonitor shardMonitor : shardMonitors) {
            shardMonitor.metrics.addContended(sum);
        }
        return sum.entrySet().stream()
                .map(entry -> new ContendedKey(entry.getKey(), entry.getValue()))
                .sorted(
                        Comparator.comparingLong(ContendedKey::waits)
                                .reversed()
                                .thenComparing(contendedKey -> contendedKey.resource().key()))
                .limit(max)
                .toList();
    }

    /** The traffic of a protocol. */
    public ProtocolTraffic traffic(String protocol) {
        return traffic.computeIfAbsent(protocol, _ -> new ProtocolTraffic());
    }

    /** The traffic of all protocols used so far. */
    public Map<String, ProtocolTraffic> traffic() {
        return Map.copyOf(traffic);
    }

    /** The number of open sessions by protocol, for all protocols used so far. */
    public Map<String, Long> sessions() {
        Map<String, Long> open = new TreeMap<>();
        sessions.forEach((protocol, number) -> open.put(protocol, number.sum()));
        return open;
    }

    /** The client of a session of any node that is open or was closed recently; null if unknown. */
    public @Nullable ClientInfo peerOf(long session) {
        ClientInfo client = clients.get(session);
        if (client == null) {
            client = recentlyClosedSessions.get(session);
        }
        return client == null ? otherNodes.apply(session) : client;
    }
}
