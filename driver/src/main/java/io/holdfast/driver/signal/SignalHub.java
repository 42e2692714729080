package io.holdfast.driver.signal;

import io.holdfast.driver.Room;
import io.holdfast.driver.Slices;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;

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
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;

/**
 * Knows who listens to what and chooses who gets a signal. Emitters do not wait for each other; to
 * listen is exclusive and short. Every method may be called from any thread.
 *
 * <p>Exact channels are found by name and patterns in a tree, so the cost of a signal depends on
 * who gets it and not on who listens to other things.
 */
public final class SignalHub implements Signals {
    /** How many registrations are ended, or listed, under one lock. */
    static final int SLICE = 256;

    private static final long PAUSE_NANOS = 50_000;

    /** Memory for a registration, in pieces; a pattern with wildcards takes one a token more. */
    private static final int PIECES = 2;

    private final Room room;
    private final ReadWriteLock lock = new ReentrantReadWriteLock();

    /** All of the following is guarded by the lock. */
    private int maxSubscriptions;

    private final Map<Key, Audience> exact = new HashMap<>();

    private final Map<Namespace, PatternTree> patterns = new HashMap<>();
    private final TreeMap<Topic, Members> topics = new TreeMap<>();
    private long lastJoined;
    private int registered;

    /**
     * @param maxSubscriptions how many registrations one listener may have; 0 is no limit
     * @param room memory for them
     */
    public SignalHub(int maxSubscriptions, Room room) {
        this.maxSubscriptions = maxSubscriptions;
        this.room = room;
    }

    /** Whether wildcards are whole tokens, and {@code >} is only the last. */
    public static boolean isPattern(Key pattern) {
        return !Tokens.hasWildcard(pattern) || Tokens.isPattern(Tokens.of(pattern));
    }

    public Subscriber open(Listener listener) {
        return new Subscriber(this, listener);
    }

    /**
     * Chooses who gets a signal on a channel: those who listen to the very channel alone, one of
     * each group there, those who listen alone to a pattern, one of each group there. Nobody is
     * chosen twice. The caller delivers. Listeners without room are told that they are too slow.
     */
    public Recipients choose(Key channel) {
        Choice choice;
        Lock reading = lock.readLock();
        reading.lock();
        try {
            Audience listening = exact.get(channel);
            PatternTree tree = patterns.get(channel.namespace());
            if (listening == null && tree == null) {
                return Recipients.NONE;
            }
            choice = new Choice();
            List<Audience> matching = new ArrayList<>(0);
            if (tree != null) {
                choice.addLooks(tree.match(Tokens.of(channel), matching));
            }
            choose(listening, matching, choice);
        } finally {
            reading.unlock();
        }
        choice.overrunTheFull();
        return choice.recipients();
    }

    private static void choose(
            @Nullable Audience listening, List<Audience> matching, Choice choice) {
        if (listening != null) {
            choice.all(listening.alone());
            listening.groups().forEach(choice::one);
        }
        for (Audience audience : matching) {
            choice.all(audience.alone());
        }
        for (Audience audience : matching) {
            audience.groups().forEach(choice::one);
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
    public Slices<ChannelView> list() {
        return new Slices<>() {
            private @Nullable Topic last;

            @Override
            public List<ChannelView> next() {
                List<ChannelView> slice = new ArrayList<>();
                lock.readLock().lock();
                try {
                    SortedMap<Topic, Members> rest =
                            last == null ? topics : topics.tailMap(last, false);
                    for (Map.Entry<Topic, Members> entry : rest.entrySet()) {
                        Topic topic = entry.getKey();
                        slice.add(
                                new ChannelView(
                                        topic.pattern(), topic.group(), entry.getValue().size()));
                        last = topic;
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

    /** Changes how many registrations one listener may have; those that are there stay. */
    public void limit(int most) {
        lock.writeLock().lock();
        try {
            maxSubscriptions = most;
        } finally {
            lock.writeLock().unlock();
        }
    }

    /**
     * Writes who listens to what, in order, and whose turn it is.
     *
     * @param idOf what a listener is written as
     */
    public void write(DataOutput out, ToLongFunction<Listener> idOf) throws IOException {
        lock.readLock().lock();
        try {
            List<Map.Entry<Topic, Members>> inOrder = new ArrayList<>(topics.entrySet());
            inOrder.sort(Comparator.comparingLong(entry -> entry.getValue().formed()));
            out.writeInt(inOrder.size());
            for (Map.Entry<Topic, Members> entry : inOrder) {
                entry.getKey().write(out);
                entry.getValue().write(out, idOf);
            }
        } finally {
            lock.readLock().unlock();
        }
    }

    /**
     * Adds what was written, to a hub without listeners: it goes on choosing as the other would.
     *
     * @param subscriberOf who is meant by what was written
     * @throws IOException if it cannot be read, or is nothing that can have been written
     */
    public void read(DataInput in, LongFunction<Subscriber> subscriberOf) throws IOException {
        int count = in.readInt();
        if (count < 0) {
            throw new IOException("there are " + count + " patterns");
        }
        for (int i = 0; i < count; i++) {
            Topic topic = Topic.read(in);
            long turn = in.readLong();
            int members = in.readInt();
            for (int j = 0; j < members; j++) {
                if (listen(subscriberOf.apply(in.readLong()), topic) != ListenOutcome.LISTENING) {
                    throw new IOException("nobody can listen to " + topic.pattern());
                }
            }
            setTurn(topic, turn, members);
        }
    }

    private void setTurn(Topic topic, long turn, int size) throws IOException {
        lock.writeLock().lock();
        try {
            Members members = topics.get(topic);
            if (members == null || members.size() != size) {
                throw new IOException("somebody listens twice, or nobody, to " + topic.pattern());
            }
            members.setTurn(turn);
        } finally {
            lock.writeLock().unlock();
        }
    }

    ListenOutcome listen(Subscriber subscriber, Topic topic) {
        List<ByteString> tokens =
                Tokens.hasWildcard(topic.pattern()) ? Tokens.of(topic.pattern()) : List.of();
        if (!Tokens.isPattern(tokens)) {
            return ListenOutcome.INVALID_PATTERN;
        }
        lock.writeLock().lock();
        try {
            if (subscriber.closed) {
                return ListenOutcome.CLOSED;
            }
            Map<Topic, Registration> registrations = subscriber.registrations;
            if (registrations.containsKey(topic)) {
                return ListenOutcome.LISTENING;
            }
            if ((maxSubscriptions > 0 && registrations.size() >= maxSubscriptions)
                    || !take(PIECES + tokens.size())) {
                return ListenOutcome.NO_ROOM;
            }
            Members members = topics.get(topic);
            if (members == null) {
                members = new Members(lastJoined);
                topics.put(topic, members);
                audience(topic.pattern(), tokens).add(topic.group(), members);
            }
            Registration registration = new Registration(subscriber, topic, members, ++lastJoined);
            members.add(registration);
            registered++;
            registrations.put(topic, registration);
            return ListenOutcome.LISTENING;
        } finally {
            lock.writeLock().unlock();
        }
    }

    void unlisten(Subscriber subscriber, Topic topic) {
        lock.writeLock().lock();
        try {
            Registration registration = subscriber.registrations.remove(topic);
            if (registration != null) {
                end(registration);
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
            LockSupport.parkNanos(PAUSE_NANOS); // let others in
        }
    }

    boolean closeSome(Subscriber subscriber, int most) {
        lock.writeLock().lock();
        try {
            subscriber.closed = true;
            Iterator<Registration> rest = subscriber.registrations.values().iterator();
            for (int i = 0; i < most && rest.hasNext(); i++) {
                end(rest.next());
                rest.remove();
            }
            return rest.hasNext();
        } finally {
            lock.writeLock().unlock();
        }
    }

    private Audience audience(Key pattern, List<ByteString> tokens) {
        return tokens.isEmpty()
                ? exact.computeIfAbsent(pattern, _ -> new Audience())
                : patterns.computeIfAbsent(pattern.namespace(), _ -> new PatternTree())
                        .getOrAdd(tokens);
    }

    private void end(Registration registration) {
        Topic topic = registration.topic();
        Key pattern = topic.pattern();
        boolean wild = Tokens.hasWildcard(pattern);
        List<ByteString> tokens = wild ? Tokens.of(pattern) : List.of();
        registration.members().remove(registration);
        registered--;
        for (int i = 0; i < PIECES + tokens.size(); i++) {
            room.giveBack();
        }
        if (registration.members().size() > 0) {
            return;
        }
        topics.remove(topic);
        if (!wild) {
            Audience audience = exact.get(pattern);
            if (audience != null) {
                audience.remove(topic.group());
                if (audience.isEmpty()) {
                    exact.remove(pattern);
                }
            }
            return;
        }
        PatternTree tree = patterns.get(pattern.namespace());
        Audience audience = tree == null ? null : tree.get(tokens);
        if (tree != null && audience != null) {
            audience.remove(topic.group());
            if (audience.isEmpty()) {
                tree.remove(tokens);
            }
            if (tree.isEmpty()) {
                patterns.remove(pattern.namespace());
            }
        }
    }

    private boolean take(int pieces) {
        for (int i = 0; i < pieces; i++) {
            if (!room.take()) {
                for (int taken = 0; taken < i; taken++) {
                    room.giveBack();
                }
                return false;
            }
        }
        return true;
    }
}
