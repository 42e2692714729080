package io.holdfast.driver.signal;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.driver.memory.MemoryBudget;
import io.holdfast.driver.view.ScanCursor;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.hash.FieldHash;

import org.jspecify.annotations.Nullable;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;

/**
 * Tracks the listeners of channels and patterns, and chooses the recipients of a signal. Emitters
 * do not wait for each other; changes of registrations are exclusive and short. Thread-safe.
 *
 * <p>Exact channels are in a hash map and patterns in a tree, so the cost of a signal depends on
 * the matching registrations and not on others.
 */
public final class SignalHub implements SignalService {
    /** Maximum number of registrations that are ended, or listed, under one lock. */
    static final int SLICE = 256;

    private static final long PAUSE_NANOS = 50_000;

    /** Estimated memory of a registration, and of each token of a pattern with wildcards. */
    static final long REGISTRATION_BYTES = 1024;

    static final long TOKEN_BYTES = 512;

    private final MemoryBudget memoryBudget;
    private final @Nullable ToLongFunction<SignalListener> hashedAs;
    private final ReadWriteLock lock = new ReentrantReadWriteLock();

    @GuardedBy("lock")
    private int maxSubscriptions;

    @GuardedBy("lock")
    private final Map<Key, PatternListeners> exact = new HashMap<>();

    @GuardedBy("lock")
    private final Map<Namespace, ListenerPatternTree> patterns = new HashMap<>();

    @GuardedBy("lock")
    private final TreeMap<PatternAndGroup, TopicListeners> topics = new TreeMap<>();

    @GuardedBy("lock")
    private long lastJoined;

    @GuardedBy("lock")
    private int registered;

    /** The sum of the hashes of all registrations. */
    @GuardedBy("lock")
    private long hash;

    /**
     * @param maxSubscriptions maximum number of registrations of one listener; 0 is no limit
     * @param memoryBudget memory for registrations
     */
    public SignalHub(int maxSubscriptions, MemoryBudget memoryBudget) {
        this(maxSubscriptions, memoryBudget, null);
    }

    /**
     * @param maxSubscriptions maximum number of registrations of one listener; 0 is no limit
     * @param memoryBudget memory for registrations
     * @param hashedAs the number of a listener in {@link #hash}; null for no hash
     */
    public SignalHub(
            int maxSubscriptions,
            MemoryBudget memoryBudget,
            @Nullable ToLongFunction<SignalListener> hashedAs) {
        this.maxSubscriptions = maxSubscriptions;
        this.memoryBudget = memoryBudget;
        this.hashedAs = hashedAs;
    }

    /**
     * Opens a client of this hub.
     *
     * @param session the session that is named in results
     */
    public SignalClient client(long session, SignalEmitter signalEmitter) {
        return new LocalSignalClient(this, session, signalEmitter);
    }

    public Subscriber open(SignalListener signalListener) {
        return new Subscriber(this, signalListener);
    }

    /**
     * Chooses the recipients of a signal on a channel, in this order: the listeners of the exact
     * channel without a group, one of each group of it, the listeners of matching patterns without
     * a group, one of each group of these. No listener is chosen twice. The caller delivers the
     * signal. Full listeners are not chosen but {@link SignalListener#overrun}.
     */
    public SignalRecipients choose(Key channel) {
        RecipientSelection recipientSelection;
        lock.readLock().lock();
        try {
            PatternListeners listening = exact.get(channel);
            ListenerPatternTree tree = patterns.get(channel.namespace());
            if (listening == null && tree == null) {
                return SignalRecipients.NONE;
            }
            recipientSelection = new RecipientSelection();
            List<PatternListeners> matching = new ArrayList<>(0);
            if (tree != null) {
                recipientSelection.addCost(tree.match(ChannelTokens.of(channel), matching));
            }
            choose(listening, matching, recipientSelection);
        } finally {
            lock.readLock().unlock();
        }
        recipientSelection.overrunTheFull();
        return recipientSelection.recipients();
    }

    private static void choose(
            @Nullable PatternListeners listening,
            List<PatternListeners> matching,
            RecipientSelection recipientSelection) {
        if (listening != null) {
            recipientSelection.addAll(listening.ungrouped());
            listening.groups().forEach(recipientSelection::addOne);
        }
        for (PatternListeners patternListeners : matching) {
            recipientSelection.addAll(patternListeners.ungrouped());
        }
        for (PatternListeners patternListeners : matching) {
            patternListeners.groups().forEach(recipientSelection::addOne);
        }
    }

    @Override
    public int listeners() {
        lock.readLock().lock();
        try {
            return registered;
        } finally {
            lock.readLock().unlock();
        }
    }

    @Override
    public ScanCursor<ChannelView> list() {
        return new ScanCursor<>() {
            private @Nullable PatternAndGroup last;

            @Override
            public List<ChannelView> next() {
                List<ChannelView> slice = new ArrayList<>();
                lock.readLock().lock();
                try {
                    SortedMap<PatternAndGroup, TopicListeners> remaining =
                            last == null ? topics : topics.tailMap(last, false);
                    for (Map.Entry<PatternAndGroup, TopicListeners> entry : remaining.entrySet()) {
                        PatternAndGroup patternAndGroup = entry.getKey();
                        slice.add(
                                new ChannelView(
                                        patternAndGroup.pattern(),
                                        patternAndGroup.group(),
                                        entry.getValue().size()));
                        last = patternAndGroup;
                        if (slice.size() == SLICE) {
                            break;
                        }
                    }
                } finally {
                    lock.readLock().unlock();
                }
                return slice;
            }

            @Override
            public void close() {}
        };
    }

    /** Changes the maximum number of registrations of one listener; existing ones stay. */
    public void limit(int max) {
        lock.writeLock().lock();
        try {
            maxSubscriptions = max;
        } finally {
            lock.writeLock().unlock();
        }
    }

    /**
     * Returns a hash of all registrations, in constant time. Their order and the round-robin
     * counters, which only choose among the members of a group, do not count.
     */
    public long hash() {
        lock.readLock().lock();
        try {
            return hash;
        } finally {
            lock.readLock().unlock();
        }
    }

    private long hashOf(ListenRegistration listenRegistration) {
        if (hashedAs == null) {
            return 0;
        }
        PatternAndGroup topic = listenRegistration.topic();
        return new FieldHash()
                .number(hashedAs.applyAsLong(listenRegistration.subscriber().listener()))
                .key(topic.pattern())
                .bytes(topic.group().bytes())
                .value();
    }

    /**
     * Writes all registrations, in order, and the round-robin counters of the groups.
     *
     * @param idOf the number that is written for a listener
     */
    public void write(DataOutput out, ToLongFunction<SignalListener> idOf) throws IOException {
        lock.readLock().lock();
        try {
            List<Map.Entry<PatternAndGroup, TopicListeners>> inOrder =
                    new ArrayList<>(topics.entrySet());
            inOrder.sort(Comparator.comparingLong(entry -> entry.getValue().formed()));
            out.writeInt(inOrder.size());
            for (Map.Entry<PatternAndGroup, TopicListeners> entry : inOrder) {
                entry.getKey().write(out);
                entry.getValue().write(out, idOf);
            }
        } finally {
            lock.readLock().unlock();
        }
    }

    /**
     * Restores what was written, into a hub without listeners, which then chooses as the other hub
     * would.
     *
     * @param subscriberOf the subscriber for a number that was written
     * @throws IOException if the input cannot be read or is invalid
     */
    public void read(DataInput in, LongFunction<Subscriber> subscriberOf) throws IOException {
        int count = in.readInt();
        if (count < 0) {
            throw new IOException("there are " + count + " patterns");
        }
        for (int i = 0; i < count; i++) {
            PatternAndGroup patternAndGroup = PatternAndGroup.read(in);
            long turn = in.readLong();
            int members = in.readInt();
            for (int j = 0; j < members; j++) {
                if (listen(subscriberOf.apply(in.readLong()), patternAndGroup)
                        != ListenOutcome.LISTENING) {
                    throw new IOException("invalid pattern " + patternAndGroup.pattern());
                }
            }
            setTurn(patternAndGroup, turn, members);
        }
    }

    private void setTurn(PatternAndGroup patternAndGroup, long turn, int size) throws IOException {
        lock.writeLock().lock();
        try {
            TopicListeners topicListeners = topics.get(patternAndGroup);
            if (topicListeners == null || topicListeners.size() != size) {
                throw new IOException(
                        "duplicate or missing listener of " + patternAndGroup.pattern());
            }
            topicListeners.setTurn(turn);
        } finally {
            lock.writeLock().unlock();
        }
    }

    ListenOutcome listen(Subscriber subscriber, PatternAndGroup patternAndGroup) {
        List<ByteString> tokens =
                ChannelTokens.hasWildcard(patternAndGroup.pattern())
                        ? ChannelTokens.of(patternAndGroup.pattern())
                        : List.of();
        if (!ChannelTokens.isPattern(tokens)) {
            return ListenOutcome.INVALID_PATTERN;
        }
        lock.writeLock().lock();
        try {
            if (subscriber.closed) {
                return ListenOutcome.CLOSED;
            }
            Map<PatternAndGroup, ListenRegistration> registrations = subscriber.registrations;
            if (registrations.containsKey(patternAndGroup)) {
                return ListenOutcome.LISTENING;
            }
            if ((maxSubscriptions > 0 && registrations.size() >= maxSubscriptions)
                    || !memoryBudget.tryReserve(bytes(tokens))) {
                return ListenOutcome.LIMIT_REACHED;
            }
            TopicListeners topicListeners = topics.get(patternAndGroup);
            if (topicListeners == null) {
                topicListeners = new TopicListeners(lastJoined);
                topics.put(patternAndGroup, topicListeners);
                listenersOf(patternAndGroup.pattern(), tokens)
                        .add(patternAndGroup.group(), topicListeners);
            }
            ListenRegistration listenRegistration =
                    new ListenRegistration(
                            subscriber, patternAndGroup, topicListeners, ++lastJoined);
            topicListeners.add(listenRegistration);
            registered++;
            hash += hashOf(listenRegistration);
            registrations.put(patternAndGroup, listenRegistration);
            return ListenOutcome.LISTENING;
        } finally {
            lock.writeLock().unlock();
        }
    }

    void unlisten(Subscriber subscriber, PatternAndGroup patternAndGroup) {
        lock.writeLock().lock();
        try {
            ListenRegistration listenRegistration =
                    subscriber.registrations.remove(patternAndGroup);
            if (listenRegistration != null) {
                end(listenRegistration);
            }
        } finally {
            lock.writeLock().unlock();
        }
    }

    int size(Subscriber subscriber) {
        lock.readLock().lock();
        try {
            return subscriber.registrations.size();
        } finally {
            lock.readLock().unlock();
        }
    }

    void close(Subscriber subscriber) {
        while (closeSome(subscriber, SLICE)) {
            LockSupport.parkNanos(PAUSE_NANOS); // let other threads acquire the lock
        }
    }

    boolean closeSome(Subscriber subscriber, int max) {
        lock.writeLock().lock();
        try {
            subscriber.closed = true;
            Iterator<ListenRegistration> remaining = subscriber.registrations.values().iterator();
            for (int i = 0; i < max && remaining.hasNext(); i++) {
                end(remaining.next());
                remaining.remove();
            }
            return remaining.hasNext();
        } finally {
            lock.writeLock().unlock();
        }
    }

    @GuardedBy("lock")
    private PatternListeners listenersOf(Key pattern, List<ByteString> tokens) {
        return tokens.isEmpty()
                ? exact.computeIfAbsent(pattern, _ -> new PatternListeners())
                : patterns.computeIfAbsent(pattern.namespace(), _ -> new ListenerPatternTree())
                        .getOrAdd(tokens);
    }

    @GuardedBy("lock")
    private void end(ListenRegistration listenRegistration) {
        PatternAndGroup patternAndGroup = listenRegistration.topic();
        Key pattern = patternAndGroup.pattern();
        boolean wild = ChannelTokens.hasWildcard(pattern);
        List<ByteString> tokens = wild ? ChannelTokens.of(pattern) : List.of();
        listenRegistration.members().remove(listenRegistration);
        registered--;
        hash -= hashOf(listenRegistration);
        memoryBudget.release(bytes(tokens));
        if (listenRegistration.members().size() > 0) {
            return;
        }
        topics.remove(patternAndGroup);
        if (!wild) {
            PatternListeners patternListeners = exact.get(pattern);
            if (patternListeners != null) {
                patternListeners.remove(patternAndGroup.group());
                if (patternListeners.isEmpty()) {
                    exact.remove(pattern);
                }
            }
            return;
        }
        ListenerPatternTree tree = patterns.get(pattern.namespace());
        PatternListeners patternListeners = tree == null ? null : tree.get(tokens);
        if (tree != null && patternListeners != null) {
            patternListeners.remove(patternAndGroup.group());
            if (patternListeners.isEmpty()) {
                tree.remove(tokens);
            }
            if (tree.isEmpty()) {
                patterns.remove(pattern.namespace());
            }
        }
    }

    private static long bytes(List<ByteString> tokens) {
        return REGISTRATION_BYTES + TOKEN_BYTES * tokens.size();
    }
}
