package io.holdfast.protocol.socketlock;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Mode;

import org.jspecify.annotations.Nullable;

/** What a line asks for. Whether it carries the id of its connection is for others to see. */
public sealed interface SocketlockRequest {
    /** Seconds that were not given. */
    long NO_SECONDS = 0;

    /** A bare greeting: the server is to make the id. */
    record Hello() implements SocketlockRequest {}

    /** A line that is dropped. */
    record Nothing() implements SocketlockRequest {}

    /** A line that begins with an id. */
    sealed interface From extends SocketlockRequest {
        ByteString client();
    }

    /** A greeting with the id that the client goes by. */
    record Greeting(ByteString client) implements From {}

    /**
     * {@code REQREAD} or {@code REQWRITE}. What its arguments mean depends on the dialect: see
     * {@link SocketlockSyntax#terms}.
     */
    record Ask(
            ByteString client, Mode mode, @Nullable ByteString first, @Nullable ByteString second)
            implements From {}

    record Confirm(ByteString client, ByteString lock) implements From {}

    record Reject(ByteString client, ByteString lock) implements From {}

    record Release(ByteString client, ByteString lock) implements From {}

    record Status(ByteString client, ByteString lock) implements From {}

    record Ping(ByteString client) implements From {}

    record Eol(ByteString client) implements From {}

    // ---- what Holdfast's own clients add

    /** Which term of office of a primary is this? */
    record Epoch(ByteString client) implements From {}

    /** Who is behind the connection. */
    record OfProcess(ByteString client, ByteString process) implements From {}

    /**
     * A lock that was held under an earlier primary.
     *
     * @param seconds what is left of its time, or {@link #NO_SECONDS}
     */
    record Reassert(ByteString client, ByteString lock, Mode mode, long epoch, long seconds)
            implements From {}

    /** Nothing more will be re-asserted. */
    record Settled(ByteString client) implements From {}

    /** The fence of a lock. */
    record Token(ByteString client, ByteString lock) implements From {}
}
