/** Signals over HTTP: out by a request, in by a stream of events. */
@NullMarked
package io.holdfast.http.signal;

import org.jspecify.annotations.NullMarked;
