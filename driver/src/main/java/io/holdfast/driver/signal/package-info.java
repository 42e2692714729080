/**
 * Signals: tracks the listeners of patterns, and chooses the recipients of a signal. This is not
 * part of the engine because the choice depends on the free capacity of connections, which is not
 * replicated state. The entry points are {@link io.holdfast.driver.signal.SignalHub} for the
 * listeners of one process, and {@link io.holdfast.driver.signal.DistributedSignals} for several
 * servers that choose together.
 */
@NullMarked
package io.holdfast.driver.signal;

import org.jspecify.annotations.NullMarked;
