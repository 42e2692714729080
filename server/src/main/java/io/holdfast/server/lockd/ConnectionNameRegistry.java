package io.holdfast.server.lockd;

import io.holdfast.engine.ByteString;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/** The names that connections have given themselves. Any thread may look. */
final class ConnectionNameRegistry {
    /**
     * A connection that has registered.
     *
     * @param connection its own name
     * @param name what it calls itself
     * @param order larger than that of every earlier registration
     */
    record Entry(String connection, ByteString name, long order) {}

    private final ConcurrentMap<Long, Entry> bySession = new ConcurrentHashMap<>();
    private final AtomicLong lastOrder = new AtomicLong();

    void register(long session, String connection, ByteString name) {
        bySession.put(session, new Entry(connection, name, lastOrder.incrementAndGet()));
    }

    void remove(long session) {
        bySession.remove(session);
    }

    /** What a session calls itself; null if nothing. */
    @Nullable ByteString nameOf(long session) {
        Entry entry = bySession.get(session);
        return entry == null ? null : entry.name();
    }

    int size() {
        return bySession.size();
    }

    /** Those of one name, or all if it is empty, in order of registration. */
    List<Entry> list(ByteString name) {
        List<Entry> found = new ArrayList<>();
        for (Entry entry : bySession.values()) {
            if (name.isEmpty() || entry.name().equals(name)) {
                found.add(entry);
            }
        }
        found.sort(Comparator.comparingLong(Entry::order));
        return found;
    }
}
