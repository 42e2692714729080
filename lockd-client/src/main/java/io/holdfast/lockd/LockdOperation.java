package io.holdfast.lockd;

import java.util.regex.Pattern;

/** The commands about one lock, with the responses to each. */
enum LockdOperation {
    GET("g", "Lock Get Success", "Lock Get Failure", false),
    RELEASE("r", "Lock Release Success", "Lock Release Failure", false),
    INSPECT("i", "Lock Is Locked", "Lock Not Locked", false),
    GET_SHARED("sg", "Shared Lock Get Success", "Shared Lock Get Failure", true),
    RELEASE_SHARED("sr", "Shared Lock Release Success", "Shared Lock Release Failure", false),
    INSPECT_SHARED("si", "Shared Lock Is Locked", "Shared Lock Not Locked", true);

    private static final Pattern COUNT = Pattern.compile("[1-9][0-9]{0,17}");

    private final String verb;
    private final String yes;
    private final String no;
    private final boolean counts;

    LockdOperation(String verb, String yes, String no, boolean counts) {
        this.verb = verb;
        this.yes = yes;
        this.no = no;
        this.counts = counts;
    }

    String verb() {
        return verb;
    }

    /** The server's negative response: the lock is not held, or the command is refused. */
    String no(String name) {
        return "0 " + no + ": " + name;
    }

    /** Parses the line as the response for this lock; throws for any other line. */
    LockdReply parse(String line, String name) throws LockdProtocolException {
        if (line.equals(no(name))) {
            return new LockdReply(0, no + ": " + name);
        }
        String text = yes + ": " + name;
        if (!line.endsWith(" " + text)) {
            throw LockdProtocolException.mismatch(verb + " " + name, line);
        }
        String digits = line.substring(0, line.length() - text.length() - 1);
        boolean number = counts ? COUNT.matcher(digits).matches() : digits.equals("1");
        if (!number) {
            throw LockdProtocolException.mismatch(verb + " " + name, line);
        }
        return new LockdReply(Long.parseLong(digits), text);
    }
}
