/**
 * Serves the engine to clients: listeners (transport, TLS, protocol), connections as sessions,
 * limits, timers and lifecycle. Start at {@link io.holdfast.server.HoldfastServer}.
 */
@NullMarked
package io.holdfast.server;

import org.jspecify.annotations.NullMarked;
