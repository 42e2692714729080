package io.holdfast.server.lockd;

import io.holdfast.engine.ByteString;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/** The names that connections have registered with {@code iam}. Can be read by any thread. */
final class ConnectionNameRegistry {
    /**
     * A connection that has registered.
     *
     * @param connection the name of the connection
     * @param name the registered name
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

    /** The registered name of a session; null if there is none. */
    @Nullable ByteString nameOf(long session) {
        Entry entry = bySession.get(session);
        return entry == null ? null : entry.name();
    }

    int size() {
        return bySession.size();
    }

    /** The entries with a name, or all entries if it is empty, in order of registration. */
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
