package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/** The state of an engine; the rules are in {@link LockEngine}. */
final class EngineState {
    final Map<Key, Resource> locks = new HashMap<>();
    final Map<Key, Resource> semaphores = new HashMap<>();
    final Map<Key, Resource> shared = new HashMap<>();
    final Map<Namespace, Map<ResourceKind, UsageCounters>> usage = new HashMap<>();
    final Map<Long, SessionState> sessions = new HashMap<>();
    final Deadlines deadlines = new Deadlines();

    /**
     * When unused keys may be collected. Using a key does not reschedule it, so it costs nothing
     * here; the last activity is checked when the deadline is due.
     */
    final Deadlines idleEnds = new Deadlines();

    /** All keys, in order of creation. */
    final CursorList<Resource> all = new CursorList<>();

    final DataStore data;

    /** The time of the last command. */
    long nowNanos = Long.MIN_VALUE;

    EngineState(EngineSettings engineSettings) {
        this.data = new DataStore(engineSettings);
    }

    Resource add(ResourceKind resourceKind, Key key, long limit) {
        UsageCounters usageCounters = usage(key.namespace(), resourceKind);
        Resource resource =
                switch (resourceKind) {
                    case LOCK -> new ReadWriteLock(key, usageCounters);
                    case SEMAPHORE -> new Semaphore(key, limit, usageCounters);
                    case SHARED -> new SharedLock(key, usageCounters);
                };
        space(resourceKind).put(key, resource);
        all.addLast(resource);
        return resource;
    }

    void drop(Resource resource) {
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

    /**
     * The session of a client. Passing the client here fixes it: quotas are charged to it even
     * after the session has closed.
     */
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
}
