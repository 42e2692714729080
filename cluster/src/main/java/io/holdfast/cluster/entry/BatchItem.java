package io.holdfast.cluster.entry;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.Key;

/** One thing that a session of a node asks for, inside an {@link LogEntry.Batch}. */
public sealed interface BatchItem {
    /** The session it is for. */
    long session();

    /** The request that it answers; 0 if none. */
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
     * Who is behind a session: others are told. It comes before the first lock of a session.
     *
     * @param concurrent whether it does several things at once
     */
    record RegisterSession(long session, String protocol, String name, boolean concurrent)
            implements BatchItem {
        @Override
        public long request() {
            return 0;
        }
    }

    /** A session has ended, and what it has goes with it. */
    record EndSession(long session, long lastAnswered) implements BatchItem {
        @Override
        public long request() {
            return 0;
        }
    }

    /** Listen to signals; the empty group is to listen alone. */
    record Listen(long session, long request, Key pattern, ByteString group) implements BatchItem {}

    /** Listen no more. */
    record Unlisten(long session, long request, Key pattern, ByteString group)
            implements BatchItem {}

    /** Tell those who listen; answered with how many. */
    record Emit(long session, long request, Key channel, ByteString payload) implements BatchItem {}
}
