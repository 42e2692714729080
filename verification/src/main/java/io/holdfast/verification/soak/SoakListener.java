package io.holdfast.verification.soak;

import java.io.IOException;
import java.time.Duration;

/**
 * A connection that listens to the signals of a {@link SignalBroadcast}. For one thread at a time.
 */
final class SoakListener {
    static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final SoakConnection connection;
    private final String pattern;
    private final String group;
    private final SignalReceivers signalReceivers;
    private int served;

    /**
     * @param group the queue group; empty for none
     */
    SoakListener(
            SoakConnection connection,
            String pattern,
            String group,
            SignalReceivers signalReceivers) {
        this.connection = connection;
        this.pattern = pattern;
        this.group = group;
        this.signalReceivers = signalReceivers;
    }

    SoakConnection connection() {
        return connection;
    }

    SignalReceivers receivers() {
        return signalReceivers;
    }

    /** The number of signals received. */
    int served() {
        return served;
    }

    void listen() throws IOException, CheckFailedException {
        connection.expect("ok", "listen", pattern, group);
    }

    void unlisten() throws IOException, CheckFailedException {
        connection.expect("ok", "unlisten", pattern, group);
    }

    /**
     * Receives signals until each worker has sent its closing signal on the channel {@code end}.
     */
    void receive(SoakCycle soakCycle, String channel, String end)
            throws IOException, CheckFailedException {
        var place = "listener on " + pattern;
        var itemOrderChecker = new ItemOrderChecker(place, soakCycle.workers());
        int open = soakCycle.workers();
        while (open > 0) {
            var pushedSignal = connection.nextSignal(TIMEOUT);
            signalReceivers.releasePermit();
            var numberedPayload = NumberedPayload.parse(pushedSignal.payload(), soakCycle, place);
            if (pushedSignal.channel().equals(end)) {
                open--;
            } else if (pushedSignal.channel().equals(channel)) {
                signalReceivers.receipts().add(numberedPayload);
                served++;
            } else {
                throw new CheckFailedException(
                        place + " got a signal of " + pushedSignal.channel());
            }
            itemOrderChecker.advance(numberedPayload);
        }
    }
}
