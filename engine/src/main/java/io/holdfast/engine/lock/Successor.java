package io.holdfast.engine.lock;

import io.holdfast.engine.Command;

/**
 * The session that renewed a hold of another session, by which request and when. The hold passes to
 * it when the holding session is closed, unless the renewal is too old; see {@link
 * Command.CloseSession}.
 */
record Successor(long session, long request, long atNanos) {}
