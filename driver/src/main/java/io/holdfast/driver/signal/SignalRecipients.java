package io.holdfast.driver.signal;

import java.util.List;

/**
 * Who gets a signal.
 *
 * @param cost how much had to be looked at to find them: what it cost, in about equal steps
 */
public record SignalRecipients(List<SignalListener> listeners, int cost) {
    static final SignalRecipients NONE = new SignalRecipients(List.of(), 0);
}
