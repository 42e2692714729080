/**
 * Connections of the dflockd protocol: one session and one request in flight each, more in tagged
 * mode.
 */
@NullMarked
package io.holdfast.server.dflockd;

import org.jspecify.annotations.NullMarked;
