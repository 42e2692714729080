/**
 * Connections of the lockd protocol, over lines or WebSocket messages: {@link
 * io.holdfast.server.lockd.LockdCommands} is the common part of both. Holds live in the engine; the
 * registry of names and the counters, which are about connections, live in {@link
 * io.holdfast.server.lockd.LockdService}.
 */
@NullMarked
package io.holdfast.server.lockd;

import org.jspecify.annotations.NullMarked;
