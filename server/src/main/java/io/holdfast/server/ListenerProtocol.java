package io.holdfast.server;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.QueuePolicy;
import io.holdfast.server.socketlock.SocketlockTimeouts;

import org.jspecify.annotations.Nullable;

import java.util.function.Consumer;

/** What a listener speaks, and to whom its keys belong. */
public sealed interface ListenerProtocol {
    Namespace namespace();

    record Dflockd(Namespace namespace) implements ListenerProtocol {}

    /**
     * The lines of lockd, or its messages.
     *
     * @param webSocket whether each message is a command, and not each line
     * @param allowDump whether {@code d}, {@code sd}, {@code dump} and {@code who} are answered
     * @param enableRegistry whether {@code iam} and {@code who} are answered
     */
    record Lockd(Namespace namespace, boolean webSocket, boolean allowDump, boolean enableRegistry)
            implements ListenerProtocol {}

    /**
     * The lines of socketlock, which know one read/write lock.
     *
     * @param key which lock that is; null for one that no other listener has
     * @param policy who comes next; null if another listener of this key says so, else the first
     *     who came
     * @param events takes a line for each thing that happens, if anybody wants to know; called on
     *     event loops, so must be quick
     */
    record Socketlock(
            Namespace namespace,
            @Nullable ByteString key,
            @Nullable QueuePolicy policy,
            SocketlockTimeouts limits,
            @Nullable Consumer<String> events)
            implements ListenerProtocol {}
}
