package io.holdfast.cluster.entry;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.Key;

/** One request of a session, inside a {@link LogEntry.Batch}. */
public sealed interface BatchItem {
    /** Returns the session that the item belongs to. */
    long session();

    /** Returns the number of the session's request that gets the result; 0 if none does. */
    long request();

    /** A command for the engine. */
    record Submit(Command.Keyed command) implements BatchItem {
        @Override
        public long session() {
            return command.session();
        }

        @Override
        public long request() {
            return command.request();
        }
    }

    /**
     * Describes the client of a session, for listings and events. It precedes the first lock of the
     * session.
     *
     * @param concurrent whether the session has several requests in flight
     */
    record RegisterSession(long session, String protocol, String name, boolean concurrent)
            implements BatchItem {
        @Override
        public long request() {
            return 0;
        }
    }

    /**
     * Ends a session with its holds and waits.
     *
     * @param lastAnswered the last request whose response was written to the client
     */
    record EndSession(long session, long lastAnswered) implements BatchItem {
        @Override
        public long request() {
            return 0;
        }
    }

    /** Adds a signal listener; with an empty group it is in no queue group. */
    record Listen(long session, long request, Key pattern, ByteString group) implements BatchItem {}

    /** Removes a signal listener. */
    record Unlisten(long session, long request, Key pattern, ByteString group)
            implements BatchItem {}

    /** Publishes a signal; the result is the number of listeners. */
    record Emit(long session, long request, Key channel, ByteString payload) implements BatchItem {}
}
