package io.holdfast.server;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.QueuePolicy;
import io.holdfast.server.socketlock.SocketlockTimeouts;

import org.jspecify.annotations.Nullable;

/** The protocol of a listener and the namespace of its keys. */
public sealed interface ListenerProtocol {
    Namespace namespace();

    record Dflockd(Namespace namespace) implements ListenerProtocol {}

    /**
     * lockd, over lines or WebSocket messages.
     *
     * @param webSocket whether each WebSocket message is a command, instead of each line
     * @param allowDump whether {@code d}, {@code sd}, {@code dump} and {@code who} are allowed
     * @param enableRegistry whether {@code iam} and {@code who} are enabled
     */
    record Lockd(Namespace namespace, boolean webSocket, boolean allowDump, boolean enableRegistry)
            implements ListenerProtocol {}

    /**
     * socketlock, which serves one read/write lock.
     *
     * @param key the key of the lock; null for a lock that no other listener serves
     * @param policy the queue policy of the lock; null for that of another listener of this key, or
     *     first come first served
     */
    record Socketlock(
            Namespace namespace,
            @Nullable ByteString key,
            @Nullable QueuePolicy policy,
            SocketlockTimeouts limits)
            implements ListenerProtocol {}
}
