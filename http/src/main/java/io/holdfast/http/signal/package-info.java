/** Signals over HTTP: emitted with a request, received over an event stream. */
@NullMarked
package io.holdfast.http.signal;

import org.jspecify.annotations.NullMarked;
