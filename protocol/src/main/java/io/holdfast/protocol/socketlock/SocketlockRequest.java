package io.holdfast.protocol.socketlock;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.ReadWriteMode;

import org.jspecify.annotations.Nullable;

/** The request of a line. Whether its client id is that of the connection is not checked here. */
public sealed interface SocketlockRequest {
    /** The value of seconds that were not given. */
    long NO_SECONDS = 0;

    /** A greeting without an id: the server chooses the id. */
    record Hello() implements SocketlockRequest {}

    /** A line that is ignored. */
    record Ignored() implements SocketlockRequest {}

    /** A line that begins with an id. */
    sealed interface FromClient extends SocketlockRequest {
        ByteString client();
    }

    /** A greeting with the id that the client chose. */
    record Greeting(ByteString client) implements FromClient {}

    /**
     * {@code REQREAD} or {@code REQWRITE}. The meaning of the arguments depends on who chose the
     * id: see {@link SocketlockSyntax#requestArguments}.
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

    // ---- extensions of Holdfast's own clients

    /** Queries the epoch of the primary. */
    record Epoch(ByteString client) implements FromClient {}

    /** Identifies the process of the client. */
    record IdentifyProcess(ByteString client, ByteString process) implements FromClient {}

    /**
     * Re-asserts a lock that was held under an earlier primary.
     *
     * @param epoch the epoch of the primary that granted it
     * @param seconds what is left of its TTL, or {@link #NO_SECONDS}
     */
    record Reassert(
            ByteString client, ByteString lock, ReadWriteMode mode, long epoch, long seconds)
            implements FromClient {}

    /** The client will not re-assert any more locks. */
    record ReassertionsDone(ByteString client) implements FromClient {}

    /** Queries the fence of a lock. */
    record Token(ByteString client, ByteString lock) implements FromClient {}
}
