package io.holdfast.driver.signal;

import java.util.List;

/**
 * The recipients of a signal.
 *
 * @param cost number of tree nodes and listeners that were examined to find them
 */
public record SignalRecipients(List<SignalListener> listeners, int cost) {
    static final SignalRecipients NONE = new SignalRecipients(List.of(), 0);
}
