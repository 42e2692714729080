/**
 * Signals: tracks the listeners of patterns, and chooses the recipients of a signal. This is not
 * part of the engine because the choice depends on the free capacity of connections, which is not
 * replicated state. Front ends use {@link io.holdfast.driver.signal.SignalClient}; {@link
 * io.holdfast.driver.signal.SignalHub} has the listeners.
 */
@NullMarked
package io.holdfast.driver.signal;

import org.jspecify.annotations.NullMarked;
