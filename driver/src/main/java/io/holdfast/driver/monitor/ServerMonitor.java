package io.holdfast.driver.monitor;

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
 * Everything that is known about what happens in a server: counts, spans, the past of keys, who is
 * there, and a feed of events. Reading it disturbs nobody.
 */
public final class ServerMonitor implements DriverObserver {
    /** What one shard saw. Its lock is taken under that of the shard. */
    private static final class ShardMonitor {
        final ShardMetrics tally = new ShardMetrics();
        final KeyHistory past = new KeyHistory();
    }

    private final ShardMonitor[] posts;
    private final LongSupplier clock;
    private final ConcurrentMap<Long, ClientInfo> peers = new ConcurrentHashMap<>();
    private final RecentlyClosedSessions recentlyClosedSessions = new RecentlyClosedSessions();
    private final ConcurrentMap<String, ProtocolTraffic> traffic = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, LongAdder> sessions = new ConcurrentHashMap<>();
    private final List<EventSubscription> subscriptions = new CopyOnWriteArrayList<>();
    private final Histogram handOffs = new Histogram();
    private volatile LongFunction<@Nullable ClientInfo> elsewhere = _ -> null;

    /**
     * @param shards how many may happen at once
     * @param clock that of the engine
     */
    public ServerMonitor(int shards, LongSupplier clock) {
        this.clock = clock;
        this.posts = new ShardMonitor[shards];
        for (int i = 0; i < shards; i++) {
            posts[i] = new ShardMonitor();
        }
    }

    @Override
    public void onEvent(int shard, KeyEvent keyEvent) {
        ShardMonitor shardMonitor = posts[shard];
        shardMonitor.tally.count(keyEvent);
        synchronized (shardMonitor) {
            shardMonitor.past.record(keyEvent);
        }
        if (!subscriptions.isEmpty()) {
            publish(new ServerEvent.OnKey(keyEvent, peerOf(keyEvent.session())));
        }
    }

    @Override
    public void onResponse(int shard, Command.Keyed command, Effect answer) {
        posts[shard].tally.count(command, answer);
    }

    @Override
    public void onSessionOpened(long session, ClientInfo clientInfo) {
        peers.put(session, clientInfo);
        sessions.computeIfAbsent(clientInfo.protocol(), _ -> new LongAdder()).increment();
        if (!subscriptions.isEmpty()) {
            publish(new ServerEvent.SessionOpened(session, clientInfo, clock.getAsLong()));
        }
    }

    @Override
    public void onSessionClosed(long session, ClientInfo clientInfo) {
        recentlyClosedSessions.add(session, clientInfo);
        peers.remove(session);
        sessions.computeIfAbsent(clientInfo.protocol(), _ -> new LongAdder()).decrement();
        if (!subscriptions.isEmpty()) {
            publish(new ServerEvent.SessionClosed(session, clientInfo, clock.getAsLong()));
        }
    }

    @Override
    public void lookUpElsewhere(LongFunction<@Nullable ClientInfo> others) {
        elsewhere = others;
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
     * Watches what happens from now on.
     *
     * @param wanted called where it happens: must be quick and call nobody
     * @param most how much may wait to be taken
     * @param wake told that there is something to take; called where it happens, perhaps under a
     *     lock: must be quick and take nothing itself
     */
    public EventSubscription subscribe(Predicate<ServerEvent> wanted, int most, Runnable wake) {
        EventSubscription made = new EventSubscription(wanted, most, wake, subscriptions::remove);
        subscriptions.add(made);
        return made;
    }

    /** The last that happened to a key, the oldest first. */
    public List<KeyEvent> history(ResourceKind resourceKind, Key key) {
        List<KeyEvent> all = new ArrayList<>();
        for (ShardMonitor shardMonitor :
                posts) { // it is in one of them, and nobody here knows in which
            synchronized (shardMonitor) {
                all.addAll(shardMonitor.past.eventsOf(resourceKind, key));
            }
        }
        return all;
    }

    /** When something happened, by today's clock on the wall. */
    public Instant timeOf(long atNanos) {
        return Instant.now().minusNanos(clock.getAsLong() - atNanos);
    }

    /** How often something happened to keys of a kind. */
    public long count(ResourceKind resourceKind, KeyEvent.Type type) {
        return sum(shardMetrics -> shardMetrics.events(resourceKind, type));
    }

    /** How often an operation other than {@link OperationType#ACQUIRE} was done. */
    public long countDone(OperationType operationType, ResourceKind resourceKind) {
        return sum(shardMetrics -> shardMetrics.done(operationType, resourceKind));
    }

    /** How often an operation was refused for a reason. */
    public long countRefused(
            OperationType operationType, ResourceKind resourceKind, Refusal reason) {
        return sum(shardMetrics -> shardMetrics.refused(operationType, resourceKind, reason));
    }

    private long sum(ToLongFunction<ShardMetrics> number) {
        long sum = 0;
        for (ShardMonitor shardMonitor : posts) {
            sum += number.applyAsLong(shardMonitor.tally);
        }
        return sum;
    }

    /** How long those waited who got it; at once counts as no time. */
    public Stream<Histogram> waits(ResourceKind resourceKind) {
        return Stream.of(posts).map(shardMonitor -> shardMonitor.tally.waits(resourceKind));
    }

    /** How long slots were held. */
    public Stream<Histogram> holds(ResourceKind resourceKind) {
        return Stream.of(posts).map(shardMonitor -> shardMonitor.tally.holds(resourceKind));
    }

    /** How long after the end of a lease its hold ended. */
    public Stream<Histogram> lateness() {
        return Stream.of(posts).map(shardMonitor -> shardMonitor.tally.lateness());
    }

    /** How long it took from a grant to somebody who waited until its connection had it. */
    public Stream<Histogram> handOffs() {
        return Stream.of(handOffs);
    }

    /** Somebody who waited was told of its grant, so long after it. */
    public void handedOff(long nanos) {
        synchronized (handOffs) {
            handOffs.record(nanos);
        }
    }

    /** The keys that were most waited for, the first first. */
    public List<ContendedKey> contended(int most) {
        Map<ContendedKey.ResourceId, Long> sum = new HashMap<>();
        for (ShardMonitor shardMonitor : posts) {
            shardMonitor.tally.addContended(sum);
        }
        return sum.entrySet().stream()
                .map(entry -> new ContendedKey(entry.getKey(), entry.getValue()))
                .sorted(
                        Comparator.comparingLong(ContendedKey::waits)
                                .reversed()
                                .thenComparing(contendedKey -> contendedKey.resource().key()))
                .limit(most)
                .toList();
    }

    /** The bytes of a protocol. */
    public ProtocolTraffic traffic(String protocol) {
        return traffic.computeIfAbsent(protocol, _ -> new ProtocolTraffic());
    }

    /** The bytes of all protocols that were ever spoken. */
    public Map<String, ProtocolTraffic> traffic() {
        return Map.copyOf(traffic);
    }

    /** How many sessions are open, by the protocols that were ever spoken. */
    public Map<String, Long> sessions() {
        Map<String, Long> open = new TreeMap<>();
        sessions.forEach((protocol, number) -> open.put(protocol, number.sum()));
        return open;
    }

    /** Who is behind a session that is open, or was until a while ago, on whatever node. */
    public @Nullable ClientInfo peerOf(long session) {
        ClientInfo present = peers.get(session);
        if (present == null) {
            present = recentlyClosedSessions.get(session);
        }
        return present == null ? elsewhere.apply(session) : present;
    }
}
