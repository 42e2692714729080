package io.holdfast.cluster.entry;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.Key;

/** One thing that a session of a node asks for, inside an {@link Entry.Batch}. */
public sealed interface Item {
    /** The session it is for. */
    long session();

    /** The request that it answers; 0 if none. */
    long request();

    /** A command for the engine. */
    record Ask(Command.Keyed command) implements Item {
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
    record Introduce(long session, String protocol, String name, boolean concurrent)
            implements Item {
        @Override
        public long request() {
            return 0;
        }
    }

    /** A session has ended, and what it has goes with it. */
    record End(long session, long lastAnswered) implements Item {
        @Override
        public long request() {
            return 0;
        }
    }

    /** Listen to signals; the empty group is to listen alone. */
    record Listen(long session, long request, Key pattern, ByteString group) implements Item {}

    /** Listen no more. */
    record Unlisten(long session, long request, Key pattern, ByteString group) implements Item {}

    /** Tell those who listen; answered with how many. */
    record Emit(long session, long request, Key channel, ByteString payload) implements Item {}
}
