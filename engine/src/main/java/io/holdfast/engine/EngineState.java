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
    final Map<Namespace, Map<ResourceKind, UsageCounters>> usage = new HashMap<>();
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

    Resource add(ResourceKind resourceKind, Key key, long limit) {
        UsageCounters tally = usage(key.namespace(), resourceKind);
        Resource resource =
                switch (resourceKind) {
                    case LOCK -> new ReadWriteLock(key, tally);
                    case SEMAPHORE -> new Semaphore(key, limit, tally);
                    case SHARED -> new SharedLock(key, tally);
                };
        space(resourceKind).put(key, resource);
        all.addLast(resource);
        return resource;
    }

    void forget(Resource resource) {
        all.remove(resource);
        space(resource.kind()).remove(resource.key);
    }

    Map<Key, Resource> space(ResourceKind resourceKind) {
        return switch (resourceKind) {
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

    UsageCounters usage(Namespace namespace, ResourceKind resourceKind) {
        return usage.computeIfAbsent(namespace, _ -> new EnumMap<>(ResourceKind.class))
                .computeIfAbsent(resourceKind, _ -> new UsageCounters());
    }

    /** See {@link LockEngine#snapshot}. */
    byte[] snapshot() {
        var out = new SnapshotWriter();
        var resourceSnapshotWriter = new ResourceSnapshotWriter(deadlines, sessions, out);
        out.number(nowNanos);
        for (ResourceKind resourceKind : ResourceKind.values()) {
            List<Resource> resources = new ArrayList<>(space(resourceKind).values());
            resources.sort(Comparator.comparing(resource -> resource.key));
            out.number(resources.size());
            resources.forEach(resourceSnapshotWriter::write);
        }
        data.write(out);
        return out.toBytes();
    }
}
