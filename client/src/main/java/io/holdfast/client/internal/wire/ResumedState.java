package io.holdfast.client.internal.wire;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;

/** The holds and waiters of a resumed session, as listed in the responses to {@code mine}. */
final class ResumedState {
    /**
     * A hold with the remaining time of its lease. The list was requested at {@code
     * requestedAtNanos}, so the remaining time counts from then or later.
     */
    record Held(String token, long leftNanos, long requestedAtNanos) {}

    private final String session;
    private final Map<Long, Held> held = new HashMap<>();
    private final Map<Long, Long> waiting = new HashMap<>();
    private long last;

    ResumedState(String session) {
        this.session = session;
    }

    String session() {
        return session;
    }

    boolean isHeld(long tag) {
        return held.containsKey(tag);
    }

    @Nullable Held held(long tag) {
        return held.get(tag);
    }

    /** Removes an entry that has been lost since it was listed. */
    void remove(long tag) {
        held.remove(tag);
        waiting.remove(tag);
    }

    /**
     * The latest time at which the request was known to be waiting; null if it is not listed as a
     * waiter.
     */
    @Nullable Long waitingAt(long tag) {
        return waiting.get(tag);
    }

    /** The last tag so far: the next page starts after it. */
    long last() {
        return last;
    }

    /**
     * Adds one response.
     *
     * @param requestedAtNanos the time before the request was sent
     * @return whether there may be more pages
     */
    boolean add(String response, long requestedAtNanos) throws BadLineException {
        if (response.equals("ok")) {
            return false;
        }
        if (!response.startsWith("ok ")) {
            throw new BadLineException("mine: not a list of holds");
        }
        long before = last;
        for (String entry : response.substring(3).split(" ", -1)) {
            add(entry.split(":", -1), requestedAtNanos);
        }
        if (last <= before) {
            throw new BadLineException("mine: a page that does not advance");
        }
        return true;
    }

    private void add(String[] parts, long requestedAtNanos) throws BadLineException {
        try {
            long tag = Long.parseLong(parts[0]);
            if (parts.length >= 4 && parts[1].equals("h")) {
                held.put(tag, new Held(parts[2], WireDuration.parse(parts[3]), requestedAtNanos));
            } else if (parts.length >= 2 && parts[1].equals("w")) {
                waiting.put(tag, requestedAtNanos);
            } else {
                throw new BadLineException("an entry that is neither held nor waiting");
            }
            last = Math.max(last, tag);
        } catch (NumberFormatException e) {
            throw new BadLineException("an entry without a tag");
        }
    }
}
