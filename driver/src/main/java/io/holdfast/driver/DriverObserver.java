package io.holdfast.driver;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.KeyEvent;

import org.jspecify.annotations.Nullable;

import java.util.function.LongFunction;

/**
 * Is notified of everything that happens in a driver, on the thread where it happens and often
 * under a lock: an implementation must be quick and must not call back.
 */
public interface DriverObserver {
    /** Ignores all notifications. */
    DriverObserver NONE =
            new DriverObserver() {
                @Override
                public void onEvent(int shard, KeyEvent keyEvent) {}

                @Override
                public void onResponse(int shard, Command.Keyed command, Effect result) {}

                @Override
                public void onSessionOpened(long session, ClientInfo clientInfo) {}

                @Override
                public void onSessionClosed(long session, ClientInfo clientInfo) {}
            };

    /** An event of a key. Calls for one shard are serialized and in order. */
    void onEvent(int shard, KeyEvent keyEvent);

    /**
     * A command had an immediate result. The later end of a wait is reported by {@link #onEvent}
     * only.
     */
    void onResponse(int shard, Command.Keyed command, Effect result);

    void onSessionOpened(long session, ClientInfo clientInfo);

    /** A session was closed; its holds and waiters have ended before. */
    void onSessionClosed(long session, ClientInfo clientInfo);

    /**
     * Provides the clients of sessions of other nodes; the function returns null for an unknown
     * session.
     */
    default void lookUpElsewhere(LongFunction<@Nullable ClientInfo> clients) {}

    /** A session of another node has ended, with its holds and waiters. */
    default void closedElsewhere(long session, ClientInfo clientInfo) {}
}
