/**
 * Signals: who listens to which pattern, and who gets a signal. Beside the engine and not in it,
 * because who gets one depends on room in sockets, which is not state. The doors are {@link
 * io.holdfast.driver.signal.SignalHub} for listeners of one process, and {@link
 * io.holdfast.driver.signal.DistributedSignals} where several servers choose together.
 */
@NullMarked
package io.holdfast.driver.signal;

import org.jspecify.annotations.NullMarked;
