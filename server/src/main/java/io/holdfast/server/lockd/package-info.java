/**
 * Connections that speak lockd, by lines or by WebSocket messages: {@link
 * io.holdfast.server.lockd.LockdConnection} is what both have in common. Holds live in the engine;
 * the registry of names and the counters, which are about connections, live in {@link
 * io.holdfast.server.lockd.LockdService}.
 */
@NullMarked
package io.holdfast.server.lockd;

import org.jspecify.annotations.NullMarked;
