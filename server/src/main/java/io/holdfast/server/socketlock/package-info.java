/**
 * Serves socketlock clients: {@link io.holdfast.server.socketlock.SocketlockHandler} is a
 * connection, {@link io.holdfast.server.socketlock.SocketlockService} what those of one listener
 * share while it is the primary of its path.
 */
@NullMarked
package io.holdfast.server.socketlock;

import org.jspecify.annotations.NullMarked;
