/**
 * Services behind sockets: the tagged mode of our server, and plain dflockd. Internal; not meant
 * for users.
 */
@NullMarked
package io.holdfast.client.wire;

import org.jspecify.annotations.NullMarked;
