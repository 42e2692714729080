/** Connections that speak dflockd: one session each, one request in flight. */
@NullMarked
package io.holdfast.server.dflockd;

import org.jspecify.annotations.NullMarked;
