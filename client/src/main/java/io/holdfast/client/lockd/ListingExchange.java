package io.holdfast.client.lockd;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * A command whose answer is any number of lines, with nothing to mark the end. A second command
 * goes behind it, about a lock whose name nobody can guess: its answer is the mark.
 *
 * <p>glockd throws away what arrives together with another command. So when nothing comes for a
 * read timeout, another mark is sent, alone; only when that one brings nothing at all is the answer
 * missed. The listing ends at the first mark answered, and the exchange at the last one sent.
 */
final class ListingExchange<T> extends LockdExchange<T> {
    private static final String DISABLED = "0 disabled";
    private static final int TIMEOUT = 300;

    private final String disabledText;
    private final LineSplitter.Sink each;
    private final T collected;
    private final ListingSizeLimit listingSizeLimit;
    private final List<String> marks = new ArrayList<>(); // answers still open, oldest first
    private boolean listed;
    private boolean disabled;
    private boolean empty = true;
    private boolean markedAlone;
    private boolean heardSinceMark;

    /**
     * @param each takes the lines of the listing
     * @param collected what {@code each} has made of them at the end
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
        return super.opening() + mark();
    }

    @Override
    void line(String line) throws LockdProtocolException {
        heardSinceMark = true;
        int mark = marks.indexOf(line);
        if (mark >= 0) {
            marks.subList(0, mark + 1).clear(); // answers keep their order: older marks were lost
            listed = true;
            if (marks.isEmpty()) {
                finish();
            }
            return;
        }
        if (listed || disabled) {
            throw LockdProtocolException.unasked(line);
        }
        if (empty && line.equals(DISABLED)) {
            disabled = true;
            return;
        }
        empty = false;
        listingSizeLimit.take(line);
        each.line(line);
    }

    @Override
    String onReadTimeout() throws LockdProtocolException {
        if (markedAlone && !heardSinceMark) {
            throw LockdProtocolException.missed();
        }
        markedAlone = true;
        heardSinceMark = false;
        return mark();
    }

    @Override
    int maxReadTimeouts() {
        return TIMEOUT;
    }

    private String mark() {
        String name = UUID.randomUUID().toString();
        marks.add(LockdOperation.INSPECT.no(name));
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
