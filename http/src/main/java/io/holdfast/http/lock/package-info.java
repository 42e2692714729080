/** Locks of all kinds over HTTP, and the sessions that hold them. */
@NullMarked
package io.holdfast.http.lock;

import org.jspecify.annotations.NullMarked;
