/**
 * The services over sockets: the tagged mode of Holdfast servers, and plain dflockd. Internal; not
 * an API for users.
 */
@NullMarked
package io.holdfast.client.internal.wire;

import org.jspecify.annotations.NullMarked;
