package io.holdfast.cluster.state;

import io.holdfast.engine.hash.FieldHash;

import org.jspecify.annotations.Nullable;

import java.util.Collections;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The sessions that may have something in the state, with a hash of all of them. */
final class SessionInfos {
    private final NavigableMap<Long, Replica.SessionInfo> sessions = new TreeMap<>();

    /** The sum of the hashes of the sessions. */
    private long hash;

    Replica.@Nullable SessionInfo get(long session) {
        return sessions.get(session);
    }

    int size() {
        return sessions.size();
    }

    NavigableMap<Long, Replica.SessionInfo> all() {
        return Collections.unmodifiableNavigableMap(sessions);
    }

    /** Returns the sessions from one id to another, which is not included. */
    NavigableMap<Long, Replica.SessionInfo> between(long from, long to) {
        return all().subMap(from, true, to, false);
    }

    void addIfAbsent(long session) {
        if (!sessions.containsKey(session)) {
            put(session, Replica.SessionInfo.UNKNOWN);
        }
    }

    void put(long session, Replica.SessionInfo info) {
        hash += hashOf(session, info);
        subtract(session, sessions.put(session, info));
    }

    void remove(long session) {
        subtract(session, sessions.remove(session));
    }

    void clear() {
        sessions.clear();
        hash = 0;
    }

    long hash() {
        return hash;
    }

    private void subtract(long session, Replica.@Nullable SessionInfo removed) {
        if (removed != null) {
            hash -= hashOf(session, removed);
        }
    }

    private static long hashOf(long session, Replica.SessionInfo info) {
        FieldHash out = new FieldHash().number(session).text(info.protocol()).text(info.name());
        return out.flag(info.concurrent()).value();
    }
}
