package io.holdfast.lockd;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * A command whose response is any number of lines without an end marker. A second command follows
 * it, an inspect of a lock with a random name: its response is the end marker.
 *
 * <p>glockd discards what arrives in the same read as another command. So after a read timeout
 * without a line, another marker command is sent separately; only if that one gets no line within a
 * read timeout either does the exchange fail. The listing ends at the first marker response, the
 * exchange at the response to the last marker sent.
 */
final class ListingExchange<T> extends LockdExchange<T> {
    private static final String DISABLED = "0 disabled";
    private static final int MAX_READ_TIMEOUTS = 300;

    private final String disabledText;
    private final LineSplitter.Sink each;
    private final T collected;
    private final ListingSizeLimit listingSizeLimit;
    private final List<String> markers = new ArrayList<>(); // expected responses, oldest first
    private boolean listed;
    private boolean disabled;
    private boolean empty = true;
    private boolean markSentSeparately;
    private boolean receivedSinceMark;

    /**
     * @param each receives the lines of the listing
     * @param collected the result that {@code each} has built when the listing ends
     */
    ListingExchange(
            String command,
            String disabledText,
            LineSplitter.Sink each,
            T collected,
            ListingSizeLimit listingSizeLimit) {
        super(command);
        this.disabledText = disabledText;
        this.each = each;
        this.collected = collected;
        this.listingSizeLimit = listingSizeLimit;
    }

    @Override
    String opening() {
        return super.opening() + marker();
    }

    @Override
    void line(String line) throws LockdProtocolException {
        receivedSinceMark = true;
        int marker = markers.indexOf(line);
        if (marker >= 0) {
            markers.subList(0, marker + 1)
                    .clear(); // responses arrive in order, so those of older markers were lost
            listed = true;
            if (markers.isEmpty()) {
                finish();
            }
            return;
        }
        if (listed || disabled) {
            throw LockdProtocolException.unexpected(line);
        }
        if (empty && line.equals(DISABLED)) {
            disabled = true;
            return;
        }
        empty = false;
        listingSizeLimit.add(line);
        each.line(line);
    }

    @Override
    String onReadTimeout() throws LockdProtocolException {
        if (markSentSeparately && !receivedSinceMark) {
            throw LockdProtocolException.missing();
        }
        markSentSeparately = true;
        receivedSinceMark = false;
        return marker();
    }

    @Override
    int maxReadTimeouts() {
        return MAX_READ_TIMEOUTS;
    }

    private String marker() {
        String name = UUID.randomUUID().toString();
        markers.add(LockdOperation.INSPECT.no(name));
        return LockdOperation.INSPECT.verb() + " " + name + "\n";
    }

    private void finish() {
        if (disabled) {
            fail(new LockdDisabledException(disabledText));
        } else {
            succeed(collected);
        }
    }
}
