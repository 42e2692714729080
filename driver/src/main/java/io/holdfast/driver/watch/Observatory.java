package io.holdfast.driver.watch;

import io.holdfast.driver.Peer;
import io.holdfast.driver.Watcher;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Event;
import io.holdfast.engine.Key;
import io.holdfast.engine.Kind;
import io.holdfast.engine.Refusal;

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
public final class Observatory implements Watcher {
    /** What one shard saw. Its lock is taken under that of the shard. */
    private static final class Post {
        final Tally tally = new Tally();
        final Past past = new Past();
    }

    private final Post[] posts;
    private final LongSupplier clock;
    private final ConcurrentMap<Long, Peer> peers = new ConcurrentHashMap<>();
    private final Departed departed = new Departed();
    private final ConcurrentMap<String, Traffic> traffic = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, LongAdder> sessions = new ConcurrentHashMap<>();
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
    private final Histogram handOffs = new Histogram();
    private volatile LongFunction<@Nullable Peer> elsewhere = _ -> null;

    /**
     * @param shards how many may happen at once
     * @param clock that of the engine
     */
    public Observatory(int shards, LongSupplier clock) {
        this.clock = clock;
        this.posts = new Post[shards];
        for (int i = 0; i < shards; i++) {
            posts[i] = new Post();
        }
    }

    @Override
    public void happened(int shard, Event event) {
        Post post = posts[shard];
        post.tally.count(event);
        synchronized (post) {
            post.past.remember(event);
        }
        if (!subscriptions.isEmpty()) {
            publish(new Happening.OnKey(event, peerOf(event.session())));
        }
    }

    @Override
    public void answered(int shard, Command.Keyed command, Effect answer) {
        posts[shard].tally.count(command, answer);
    }

    @Override
    public void opened(long session, Peer peer) {
        peers.put(session, peer);
        sessions.computeIfAbsent(peer.protocol(), _ -> new LongAdder()).increment();
        if (!subscriptions.isEmpty()) {
            publish(new Happening.Opened(session, peer, clock.getAsLong()));
        }
    }

    @Override
    public void closed(long session, Peer peer) {
        departed.add(session, peer);
        peers.remove(session);
        sessions.computeIfAbsent(peer.protocol(), _ -> new LongAdder()).decrement();
        if (!subscriptions.isEmpty()) {
            publish(new Happening.Closed(session, peer, clock.getAsLong()));
        }
    }

    @Override
    public void lookUpElsewhere(LongFunction<@Nullable Peer> others) {
        elsewhere = others;
    }

    @Override
    public void closedElsewhere(long session, Peer peer) {
        departed.add(session, peer);
    }

    private void publish(Happening happening) {
        for (Subscription subscription : subscriptions) {
            subscription.offer(happening);
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
    public Subscription subscribe(Predicate<Happening> wanted, int most, Runnable wake) {
        Subscription made = new Subscription(wanted, most, wake, subscriptions::remove);
        subscriptions.add(made);
        return made;
    }

    /** The last that happened to a key, the oldest first. */
    public List<Event> past(Kind kind, Key key) {
        List<Event> all = new ArrayList<>();
        for (Post post : posts) { // it is in one of them, and nobody here knows in which
            synchronized (post) {
                all.addAll(post.past.recall(kind, key));
            }
        }
        return all;
    }

    /** When something happened, by today's clock on the wall. */
    public Instant timeOf(long atNanos) {
        return Instant.now().minusNanos(clock.getAsLong() - atNanos);
    }

    /** How often something happened to keys of a kind. */
    public long count(Kind kind, Event.Type type) {
        return sum(tally -> tally.events(kind, type));
    }

    /** How often an operation other than {@link Operation#ACQUIRE} was done. */
    public long countDone(Operation operation, Kind kind) {
        return sum(tally -> tally.done(operation, kind));
    }

    /** How often an operation was refused for a reason. */
    public long countRefused(Operation operation, Kind kind, Refusal reason) {
        return sum(tally -> tally.refused(operation, kind, reason));
    }

    private long sum(ToLongFunction<Tally> number) {
        long sum = 0;
        for (Post post : posts) {
            sum += number.applyAsLong(post.tally);
        }
        return sum;
    }

    /** How long those waited who got it; at once counts as no time. */
    public Stream<Histogram> waits(Kind kind) {
        return Stream.of(posts).map(post -> post.tally.waits(kind));
    }

    /** How long slots were held. */
    public Stream<Histogram> holds(Kind kind) {
        return Stream.of(posts).map(post -> post.tally.holds(kind));
    }

    /** How long after the end of a lease its hold ended. */
    public Stream<Histogram> lateness() {
        return Stream.of(posts).map(post -> post.tally.lateness());
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
    public List<Contended> contended(int most) {
        Map<Contended.Name, Long> sum = new HashMap<>();
        for (Post post : posts) {
            post.tally.addContended(sum);
        }
        return sum.entrySet().stream()
                .map(entry -> new Contended(entry.getKey(), entry.getValue()))
                .sorted(
                        Comparator.comparingLong(Contended::waits)
                                .reversed()
                                .thenComparing(contended -> contended.name().key()))
                .limit(most)
                .toList();
    }

    /** The bytes of a protocol. */
    public Traffic traffic(String protocol) {
        return traffic.computeIfAbsent(protocol, _ -> new Traffic());
    }

    /** The bytes of all protocols that were ever spoken. */
    public Map<String, Traffic> traffic() {
        return Map.copyOf(traffic);
    }

    /** How many sessions are open, by the protocols that were ever spoken. */
    public Map<String, Long> sessions() {
        Map<String, Long> open = new TreeMap<>();
        sessions.forEach((protocol, number) -> open.put(protocol, number.sum()));
        return open;
    }

    /** Who is behind a session that is open, or was until a while ago, on whatever node. */
    public @Nullable Peer peerOf(long session) {
        Peer present = peers.get(session);
        if (present == null) {
            present = departed.get(session);
        }
        return present == null ? elsewhere.apply(session) : present;
    }
}
