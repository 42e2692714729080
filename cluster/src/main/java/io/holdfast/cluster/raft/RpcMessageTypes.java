package io.holdfast.cluster.raft;

import java.io.IOException;
import java.util.concurrent.CompletionException;

/** The types of the messages between nodes. The numbers are part of the protocol. */
final class RpcMessageTypes {
    static final byte APPEND = 10;
    static final byte HEARTBEAT = 11;
    static final byte PROPOSE = 12;
    static final byte VOTE = 13;
    static final byte ELECT = 14;
    static final byte SNAPSHOT = 15;

    /** A message without a response. */
    static final byte STATE_HASH = 16;

    static final byte CONFIGURE = 21;
    static final byte TRANSFER = 22;
    static final byte SNAPSHOT_MANAGEMENT = 23;
    static final byte READ_SNAPSHOT = 24;

    /** Parses a message. */
    interface Parsing<T> {
        T parse() throws IOException;
    }

    private RpcMessageTypes() {}

    /**
     * Parses a message inside a stage of a future: failures become {@link CompletionException}s.
     */
    static <T> T parse(Parsing<T> parsing) {
        try {
            return parsing.parse();
        } catch (IOException e) {
            throw new CompletionException(e);
        }
    }
}
