/** The beginning of a WebSocket: who may open one, and the answer to its HTTP request. */
@NullMarked
package io.holdfast.server.websocket;

import org.jspecify.annotations.NullMarked;
