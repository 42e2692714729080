package io.holdfast.driver;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Event;

import org.jspecify.annotations.Nullable;

import java.util.function.LongFunction;

/**
 * Sees everything that happens. It is called where it happens, often under a lock: it must be quick
 * and call nobody.
 */
public interface Watcher {
    /** Sees nothing. */
    Watcher NONE =
            new Watcher() {
                @Override
                public void happened(int shard, Event event) {}

                @Override
                public void answered(int shard, Command.Keyed command, Effect answer) {}

                @Override
                public void opened(long session, Peer peer) {}

                @Override
                public void closed(long session, Peer peer) {}
            };

    /** Something happened to a key. Calls for one shard come one after the other, in order. */
    void happened(int shard, Event event);

    /**
     * A command was answered at once. What is answered later, a wait that ends, is told by {@link
     * #happened} alone.
     */
    void answered(int shard, Command.Keyed command, Effect answer);

    void opened(long session, Peer peer);

    /** All that the session had has ended before. */
    void closed(long session, Peer peer);

    /** Sessions of other nodes can be looked up: who is behind one, null if that is not known. */
    default void lookUpElsewhere(LongFunction<@Nullable Peer> peers) {}

    /** A session of another node has ended, with all that it had. */
    default void closedElsewhere(long session, Peer peer) {}
}
