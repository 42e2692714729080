package io.holdfast.protocol.socketlock;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.ReadWriteMode;

import org.jspecify.annotations.Nullable;

/** What a line asks for. Whether it carries the id of its connection is for others to see. */
public sealed interface SocketlockRequest {
    /** Seconds that were not given. */
    long NO_SECONDS = 0;

    /** A bare greeting: the server is to make the id. */
    record Hello() implements SocketlockRequest {}

    /** A line that is dropped. */
    record Ignored() implements SocketlockRequest {}

    /** A line that begins with an id. */
    sealed interface FromClient extends SocketlockRequest {
        ByteString client();
    }

    /** A greeting with the id that the client goes by. */
    record Greeting(ByteString client) implements FromClient {}

    /**
     * {@code REQREAD} or {@code REQWRITE}. What its arguments mean depends on the dialect: see
     * {@link SocketlockSyntax#terms}.
     */
    record RequestLock(
            ByteString client,
            ReadWriteMode mode,
            @Nullable ByteString first,
            @Nullable ByteString second)
            implements FromClient {}

    record Confirm(ByteString client, ByteString lock) implements FromClient {}

    record Reject(ByteString client, ByteString lock) implements FromClient {}

    record Release(ByteString client, ByteString lock) implements FromClient {}

    record Status(ByteString client, ByteString lock) implements FromClient {}

    record Ping(ByteString client) implements FromClient {}

    record Eol(ByteString client) implements FromClient {}

    // ---- what Holdfast's own clients add

    /** Which term of office of a primary is this? */
    record Epoch(ByteString client) implements FromClient {}

    /** Who is behind the connection. */
    record IdentifyProcess(ByteString client, ByteString process) implements FromClient {}

    /**
     * A lock that was held under an earlier primary.
     *
     * @param seconds what is left of its time, or {@link #NO_SECONDS}
     */
    record Reassert(
            ByteString client, ByteString lock, ReadWriteMode mode, long epoch, long seconds)
            implements FromClient {}

    /** Nothing more will be re-asserted. */
    record ReassertionsDone(ByteString client) implements FromClient {}

    /** The fence of a lock. */
    record Token(ByteString client, ByteString lock) implements FromClient {}
}
