package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** All that an engine remembers: the rules are in {@link LockEngine}. */
final class EngineState {
    final Map<Key, Resource> locks = new HashMap<>();
    final Map<Key, Resource> semaphores = new HashMap<>();
    final Map<Key, Resource> shared = new HashMap<>();
    final Map<Namespace, Map<Kind, UsageCounters>> usage = new HashMap<>();
    final Map<Long, SessionState> sessions = new HashMap<>();
    final Deadlines deadlines = new Deadlines();

    /**
     * When keys that nobody uses may be forgotten. A key that is used again stays where it is and
     * is looked at when its time comes: using a key costs nothing here.
     */
    final Deadlines idleEnds = new Deadlines();

    /** All keys, in order of creation. */
    final CursorList all = new CursorList();

    final DataStore data;

    /** The time of the last command. */
    long nowNanos = Long.MIN_VALUE;

    EngineState(EngineSettings engineSettings) {
        this.data = new DataStore(engineSettings);
    }

    Resource add(Kind kind, Key key, long limit) {
        UsageCounters tally = usage(key.namespace(), kind);
        Resource resource =
                switch (kind) {
                    case LOCK -> new ReadWriteLock(key, tally);
                    case SEMAPHORE -> new Semaphore(key, limit, tally);
                    case SHARED -> new SharedLock(key, tally);
                };
        space(kind).put(key, resource);
        all.addLast(resource);
        return resource;
    }

    void forget(Resource resource) {
        all.remove(resource);
        space(resource.kind()).remove(resource.key);
    }

    Map<Key, Resource> space(Kind kind) {
        return switch (kind) {
            case LOCK -> locks;
            case SEMAPHORE -> semaphores;
            case SHARED -> shared;
        };
    }

    SessionState session(long id) {
        SessionState sessionState = sessions.get(id);
        if (sessionState == null) {
            sessionState = new SessionState(id);
            sessions.put(id, sessionState);
        }
        return sessionState;
    }

    /** The session of a client, which is known from the first time on, also when it has closed. */
    SessionState session(long id, Quotas.@Nullable Client client) {
        SessionState sessionState = sessions.get(id);
        if (sessionState == null) {
            sessionState = new SessionState(id, client);
            sessions.put(id, sessionState);
        }
        return sessionState;
    }

    UsageCounters usage(Namespace namespace, Kind kind) {
        return usage.computeIfAbsent(namespace, _ -> new EnumMap<>(Kind.class))
                .computeIfAbsent(kind, _ -> new UsageCounters());
    }

    /** See {@link LockEngine#snapshot}. */
    byte[] snapshot() {
        var out = new SnapshotWriter();
        var resourceWriter = new ResourceWriter(deadlines, sessions, out);
        out.number(nowNanos);
        for (Kind kind : Kind.values()) {
            List<Resource> resources = new ArrayList<>(space(kind).values());
            resources.sort(Comparator.comparing(resource -> resource.key));
            out.number(resources.size());
            resources.forEach(resourceWriter::write);
        }
        data.write(out);
        return out.toBytes();
    }
}
