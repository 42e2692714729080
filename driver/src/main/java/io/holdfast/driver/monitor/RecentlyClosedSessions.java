package io.holdfast.driver.monitor;

import io.holdfast.driver.ClientInfo;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * Who was behind the sessions that ended last. Some of their holds live on, and others are part of
 * the past of a key.
 */
final class RecentlyClosedSessions {
    static final int MAX_SESSIONS = 4096;

    private final SequencedMap<Long, ClientInfo> last = new LinkedHashMap<>();

    /** What the name is made of goes away with the session, so it is made now. */
    synchronized void add(long session, ClientInfo clientInfo) {
        String name = clientInfo.name().get();
        last.put(
                session,
                new ClientInfo(clientInfo.protocol(), () -> name, clientInfo.concurrent(), null));
        if (last.size() > MAX_SESSIONS) {
            last.pollFirstEntry();
        }
    }

    synchronized @Nullable ClientInfo get(long session) {
        return last.get(session);
    }
}
