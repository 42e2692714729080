package io.holdfast.engine.lock;

import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.Quotas;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;
import io.holdfast.engine.data.DataStore;
import io.holdfast.engine.hash.FieldHash;
import io.holdfast.engine.hash.HashedRecord;
import io.holdfast.engine.hash.StateHash;
import io.holdfast.engine.time.Deadlines;
import io.holdfast.engine.view.CursorList;

import org.jspecify.annotations.Nullable;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** The state of an engine; the rules are in {@link LockEngine}. */
final class EngineState {
    EngineSettings settings;

    final Map<Key, ReadWriteLock> locks = new HashMap<>();
    final Map<Key, Semaphore> semaphores = new HashMap<>();
    final Map<Key, SharedLock> shared = new HashMap<>();
    final Map<Namespace, Map<ResourceKind, UsageCounters>> usage = new HashMap<>();
    final Map<Long, SessionState> sessions = new HashMap<>();
    final StateHash hash;
    final Deadlines<LockDeadline> deadlines;

    /**
     * When unused keys may be collected. Using a key does not reschedule it, so it costs nothing
     * here; the last activity is checked when the deadline is due.
     */
    final Deadlines<Resource> idleEnds;

    /** All keys, in order of creation. */
    final CursorList<Resource> all = new CursorList<>();

    final DataStore data;

    /** While it lasts, nothing but shared locks is granted; null if there is none. */
    @Nullable RestartQuarantine restartQuarantine;

    /** The time of the last command. */
    long nowNanos = Long.MIN_VALUE;

    EngineState(EngineSettings engineSettings, StateHash stateHash) {
        this.settings = engineSettings;
        this.hash = stateHash;
        this.deadlines = new Deadlines<>(stateHash);
        this.idleEnds = new Deadlines<>(stateHash);
        this.data = new DataStore(engineSettings, stateHash);
    }

    Resource add(ResourceKind resourceKind, Key key, long limit) {
        UsageCounters counters = usage(key.namespace(), resourceKind);
        return switch (resourceKind) {
            case LOCK -> addLock(key);
            case SEMAPHORE -> add(new Semaphore(key, limit, counters), semaphores);
            case SHARED -> add(new SharedLock(key, counters), shared);
        };
    }

    ReadWriteLock addLock(Key key) {
        return add(new ReadWriteLock(key, usage(key.namespace(), ResourceKind.LOCK)), locks);
    }

    private <R extends Resource> R add(R resource, Map<Key, R> space) {
        space.put(resource.key, resource);
        all.addLast(resource);
        hash.add(resource);
        return resource;
    }

    void drop(Resource resource) {
        all.remove(resource);
        space(resource.kind()).remove(resource.key);
        hash.remove(resource);
    }

    /** A resource is used now, and may change with that. */
    void touch(Resource resource) {
        resource.lastActivityNanos = nowNanos;
        hash.changed(resource);
    }

    @Nullable Resource find(ResourceKind resourceKind, Key key) {
        return space(resourceKind).get(key);
    }

    @Nullable Hold find(ResourceKind resourceKind, Key key, Token token) {
        Resource resource = find(resourceKind, key);
        Hold hold = resource == null ? null : resource.find(token.fence());
        return hold != null && hold.salt == token.salt() ? hold : null;
    }

    Map<Key, ? extends Resource> space(ResourceKind resourceKind) {
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
            hash.add(sessionState);
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
            hash.add(sessionState);
        }
        return sessionState;
    }

    /** The client of a session, which may not exist in the engine yet. */
    Quotas.@Nullable Client client(long session, Quotas quotas) {
        SessionState known = sessions.get(session);
        return known == null ? quotas.client(session) : known.client(quotas);
    }

    UsageCounters usage(Namespace namespace, ResourceKind resourceKind) {
        return usage.computeIfAbsent(namespace, _ -> new EnumMap<>(ResourceKind.class))
                .computeIfAbsent(resourceKind, _ -> new UsageCounters());
    }

    /** A shared lock excludes no session, so it is exempt. */
    boolean isQuarantined(ResourceKind resourceKind) {
        return restartQuarantine != null && resourceKind != ResourceKind.SHARED;
    }

    boolean isQueueFull(Resource resource) {
        return settings.maxWaiters() > 0 && resource.waiters >= settings.maxWaiters();
    }

    /**
     * The current time plus a duration; {@link Long#MAX_VALUE}, which is never, if that overflows.
     */
    long after(long durationNanos) {
        long time = nowNanos + durationNanos;
        return time < nowNanos ? Long.MAX_VALUE : time;
    }

    /** The hash of the whole state; see {@link LockEngine#hash}. */
    long hash(long sumOfRecords) {
        FieldHash out = new FieldHash().number(sumOfRecords).number(nowNanos);
        out.number(deadlines.lastSequence()).number(idleEnds.lastSequence());
        data.hash(out);
        return out.value();
    }

    /** Visits all records of the state, in no certain order. */
    void eachRecord(Consumer<HashedRecord> visitor) {
        sessions.values().forEach(visitor);
        for (Resource resource : all) {
            visitor.accept(resource);
            resource.holds().forEach(visitor);
            resource.eachWait(
                    waiter -> {
                        visitor.accept(waiter);
                        return true;
                    });
        }
        data.eachRecord(visitor);
    }

    /** See {@link LockEngine#reserveAll}. */
    void reserveAll(Quotas quotas) {
        for (Resource resource : all) {
            boolean _ =
                    resource.retained
                            ? quotas.reserveKey(resource.key, resource.creator)
                            : quotas.reserveTransientKey(resource.key, resource.creator);
            for (Hold hold : resource.holds()) {
                boolean _ = quotas.reserveHold(hold.session.client(quotas));
            }
            resource.eachWait(waiter -> quotas.reserveWait(waiter.session.client(quotas)));
        }
        data.reserveAll(quotas);
    }
}
