/** The opening of a WebSocket: the check of its origin, and the response to its HTTP request. */
@NullMarked
package io.holdfast.server.websocket;

import org.jspecify.annotations.NullMarked;
