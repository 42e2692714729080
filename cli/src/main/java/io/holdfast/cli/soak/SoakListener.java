package io.holdfast.cli.soak;

import java.io.IOException;
import java.time.Duration;

/** A connection that listens to the signals of a {@link Broadcast}. For one thread at a time. */
final class SoakListener {
    static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final SoakConnection connection;
    private final String pattern;
    private final String group;
    private final Audience audience;
    private int served;

    /**
     * @param group empty for none
     */
    SoakListener(SoakConnection connection, String pattern, String group, Audience audience) {
        this.connection = connection;
        this.pattern = pattern;
        this.group = group;
        this.audience = audience;
    }

    SoakConnection connection() {
        return connection;
    }

    Audience audience() {
        return audience;
    }

    /** How many signals it got. */
    int served() {
        return served;
    }

    void listen() throws IOException, CheckFailedException {
        connection.expect("ok", "listen", pattern, group);
    }

    void unlisten() throws IOException, CheckFailedException {
        connection.expect("ok", "unlisten", pattern, group);
    }

    /** Takes signals until each worker has closed with one on the channel {@code end}. */
    void receive(Cycle cycle, String channel, String end) throws IOException, CheckFailedException {
        var place = "listener on " + pattern;
        var orderChecker = new OrderChecker(place, cycle.workers());
        int open = cycle.workers();
        while (open > 0) {
            var pushedSignal = connection.nextSignal(TIMEOUT);
            audience.releasePermit();
            var soakItem = SoakItem.parse(pushedSignal.payload(), cycle, place);
            if (pushedSignal.channel().equals(end)) {
                open--;
            } else if (pushedSignal.channel().equals(channel)) {
                audience.receipts().add(soakItem);
                served++;
            } else {
                throw new CheckFailedException(
                        place + " got a signal of " + pushedSignal.channel());
            }
            orderChecker.advance(soakItem);
        }
    }
}
