package io.holdfast.client.wire;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;

/** What a resumed session has, as the server lists it in answers to {@code mine}. */
final class ResumedState {
    /** A hold, with what was left of its lease when it was asked for at the earliest. */
    record Held(String token, long leftNanos, long askedAtNanos) {}

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

    /** It has been lost since it was listed. */
    void forget(long tag) {
        held.remove(tag);
        waiting.remove(tag);
    }

    /** When it was known to be waiting still; null if it was not. */
    @Nullable Long waitingAt(long tag) {
        return waiting.get(tag);
    }

    /** The last tag so far: the next page begins behind it. */
    long last() {
        return last;
    }

    /**
     * Takes one answer.
     *
     * @param askedAtNanos before it was asked for
     * @return whether there may be more
     */
    boolean add(String answer, long askedAtNanos) throws BadLineException {
        if (answer.equals("ok")) {
            return false;
        }
        if (!answer.startsWith("ok ")) {
            throw new BadLineException("no list of holds");
        }
        long before = last;
        for (String entry : answer.substring(3).split(" ", -1)) {
            add(entry.split(":", -1), askedAtNanos);
        }
        if (last <= before) {
            throw new BadLineException("mine: a page that does not advance");
        }
        return true;
    }

    private void add(String[] parts, long askedAtNanos) throws BadLineException {
        try {
            long tag = Long.parseLong(parts[0]);
            if (parts.length >= 4 && parts[1].equals("h")) {
                held.put(tag, new Held(parts[2], WireDuration.parse(parts[3]), askedAtNanos));
            } else if (parts.length >= 2 && parts[1].equals("w")) {
                waiting.put(tag, askedAtNanos);
            } else {
                throw new BadLineException("an entry that is neither held nor waiting");
            }
            last = Math.max(last, tag);
        } catch (NumberFormatException e) {
            throw new BadLineException("an entry without a tag");
        }
    }
}
