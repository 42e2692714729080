package io.holdfast.driver;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.KeyEvent;

import org.jspecify.annotations.Nullable;

import java.util.function.LongFunction;

/**
 * Sees everything that happens. It is called where it happens, often under a lock: it must be quick
 * and call nobody.
 */
public interface DriverObserver {
    /** Sees nothing. */
    DriverObserver NONE =
            new DriverObserver() {
                @Override
                public void onEvent(int shard, KeyEvent keyEvent) {}

                @Override
                public void onResponse(int shard, Command.Keyed command, Effect answer) {}

                @Override
                public void onSessionOpened(long session, ClientInfo clientInfo) {}

                @Override
                public void onSessionClosed(long session, ClientInfo clientInfo) {}
            };

    /** Something happened to a key. Calls for one shard come one after the other, in order. */
    void onEvent(int shard, KeyEvent keyEvent);

    /**
     * A command was answered at once. What is answered later, a wait that ends, is told by {@link
     * #onEvent} alone.
     */
    void onResponse(int shard, Command.Keyed command, Effect answer);

    void onSessionOpened(long session, ClientInfo clientInfo);

    /** All that the session had has ended before. */
    void onSessionClosed(long session, ClientInfo clientInfo);

    /** Sessions of other nodes can be looked up: who is behind one, null if that is not known. */
    default void lookUpElsewhere(LongFunction<@Nullable ClientInfo> peers) {}

    /** A session of another node has ended, with all that it had. */
    default void closedElsewhere(long session, ClientInfo clientInfo) {}
}
