package io.holdfast.verification.soak;

import java.util.regex.Pattern;

/** A hold that the server has granted. */
record SoakGrant(String token) {
    private static final Pattern TOKEN = Pattern.compile("[0-9a-f]{32}");

    /** Parses {@code <word> <token> <lease>}; any other response fails the check. */
    static SoakGrant parse(String response, String word, String request, int lease)
            throws CheckFailedException {
        var fields = response.split(" ", -1);
        if (fields.length != 3 || !fields[0].equals(word)) {
            throw new CheckFailedException(
                    request + ": got \"" + response + "\", want \"" + word + " <token> <lease>\"");
        }
        if (!TOKEN.matcher(fields[1]).matches()) {
            throw new CheckFailedException(
                    request + ": token \"" + fields[1] + "\" is not 32 lower-case hex digits");
        }
        if (!fields[2].equals(Integer.toString(lease))) {
            throw new CheckFailedException(
                    request + ": got a lease of " + fields[2] + " s, want " + lease);
        }
        return new SoakGrant(fields[1]);
    }

    /** The first half of the token: an unsigned number that grows with every grant of a key. */
    long fence() {
        return Long.parseUnsignedLong(token, 0, 16, 16);
    }
}
