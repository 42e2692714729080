package io.holdfast.verification.soak;

import java.util.regex.Pattern;

/**
 * What a worker sends and a client must receive unchanged: a signal payload, a value or a list
 * element.
 *
 * @param number sequence number of the item among those of its worker, from 0
 */
record NumberedPayload(int worker, int number) {
    /** Characters that a faulty server might trim, split, escape or decode. */
    private static final String REST = " is \"<b>\" & caf\u00e9 ";

    private static final Pattern FORM =
            Pattern.compile(" ([0-9]{1,9}) ([0-9]{1,9})" + Pattern.quote(REST));

    /** Parses the text of an item; fails unless a worker of this cycle can have sent it. */
    static NumberedPayload parse(String text, SoakCycle soakCycle, String place)
            throws CheckFailedException {
        var form = FORM.matcher(text);
        if (form.matches()) {
            var numberedPayload =
                    new NumberedPayload(
                            Integer.parseInt(form.group(1)), Integer.parseInt(form.group(2)));
            if (numberedPayload.worker < soakCycle.workers()
                    && numberedPayload.number <= soakCycle.rounds()) {
                return numberedPayload;
            }
        }
        throw new CheckFailedException(place + ": got \"" + text + "\", which no worker sent");
    }

    String text() {
        return " " + worker + " " + number + REST;
    }

    @Override
    public String toString() {
        return "item " + number + " of worker " + worker;
    }
}
