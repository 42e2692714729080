package io.holdfast.cli.soak;

import java.util.regex.Pattern;

/**
 * Something that a worker sends and that somebody must get back: a payload, a value, an element.
 *
 * @param number counts what this worker sends, from 0
 */
record SoakItem(int worker, int number) {
    /** What a server might trim, split, escape or decode although it must not. */
    private static final String REST = " is \"<b>\" & caf\u00e9 ";

    private static final Pattern FORM =
            Pattern.compile(" ([0-9]{1,9}) ([0-9]{1,9})" + Pattern.quote(REST));

    /** Fails unless a worker of this cycle can have sent the text. */
    static SoakItem parse(String text, SoakCycle soakCycle, String place)
            throws CheckFailedException {
        var form = FORM.matcher(text);
        if (form.matches()) {
            var soakItem =
                    new SoakItem(Integer.parseInt(form.group(1)), Integer.parseInt(form.group(2)));
            if (soakItem.worker < soakCycle.workers() && soakItem.number <= soakCycle.rounds()) {
                return soakItem;
            }
        }
        throw new CheckFailedException(place + ": got \"" + text + "\", which nobody sent");
    }

    String text() {
        return " " + worker + " " + number + REST;
    }

    @Override
    public String toString() {
        return "item " + number + " of worker " + worker;
    }
}
