package io.holdfast.server.lockd;

import io.holdfast.engine.Namespace;
import io.holdfast.server.listener.ListenerOptions;

/**
 * The options of a lockd listener: its namespace, and the commands that its clients may use.
 *
 * @param allowDump whether {@code d}, {@code sd}, {@code dump} and {@code who} are allowed
 * @param enableRegistry whether {@code iam} and {@code who} are enabled
 */
public record LockdOptions(Namespace namespace, boolean allowDump, boolean enableRegistry)
        implements ListenerOptions {}
