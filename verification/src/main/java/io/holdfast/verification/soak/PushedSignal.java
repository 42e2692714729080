package io.holdfast.verification.soak;

/** A line that the server pushed: {@code sig <channel> <payload>}. */
record PushedSignal(String channel, String payload) {
    private static final String START = "sig ";

    /** Distinguishes a pushed line from a response: no response begins like this. */
    static boolean isPushed(String line) {
        return line.startsWith(START);
    }

    static PushedSignal parse(String line) throws CheckFailedException {
        int blank = line.indexOf(' ', START.length());
        if (!isPushed(line) || blank < 0) {
            throw new CheckFailedException(
                    "got \"" + line + "\", want \"sig <channel> <payload>\"");
        }
        return new PushedSignal(line.substring(START.length(), blank), line.substring(blank + 1));
    }

    @Override
    public String toString() {
        return START + channel + " " + payload;
    }
}
