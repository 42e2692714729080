package io.holdfast.driver.monitor;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.driver.ClientInfo;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * The clients of the sessions that ended last. Their unbound holds may still exist, and the history
 * of keys refers to them.
 */
final class RecentlyClosedSessions {
    static final int MAX_SESSIONS = 4096;

    @GuardedBy("this")
    private final SequencedMap<Long, ClientInfo> last = new LinkedHashMap<>();

    /** Computes the name now, because its source goes away with the session. */
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
