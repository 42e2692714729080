/**
 * Signals: who listens to which pattern, and who gets a signal. Beside the engine and not in it,
 * because who gets one depends on room in sockets, which is not state. The door is {@link
 * io.holdfast.driver.signal.SignalHub}.
 */
@NullMarked
package io.holdfast.driver.signal;

import org.jspecify.annotations.NullMarked;
