package io.holdfast.server;

import io.holdfast.engine.Namespace;

/** What a listener speaks, and to whom its keys belong. */
public sealed interface Protocol {
    Namespace namespace();

    record Dflockd(Namespace namespace) implements Protocol {}

    /**
     * The lines of lockd, or its messages.
     *
     * @param webSocket whether each message is a command, and not each line
     * @param allowDump whether {@code d}, {@code sd}, {@code dump} and {@code who} are answered
     * @param enableRegistry whether {@code iam} and {@code who} are answered
     */
    record Lockd(Namespace namespace, boolean webSocket, boolean allowDump, boolean enableRegistry)
            implements Protocol {}
}
