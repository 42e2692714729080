package io.holdfast.client.internal.wire;

/** Matches channels against a pattern. */
final class SignalPattern {
    private SignalPattern() {}

    /** {@code *} matches any one part between dots, {@code >} one or more parts at the end. */
    static boolean matches(String pattern, String channel) {
        String[] patternParts = pattern.split("\\.", -1);
        String[] channelParts = channel.split("\\.", -1);
        for (int i = 0; i < patternParts.length; i++) {
            if (i >= channelParts.length) {
                return false;
            }
            if (i == patternParts.length - 1 && patternParts[i].equals(">")) {
                return true;
            }
            if (!patternParts[i].equals("*") && !patternParts[i].equals(channelParts[i])) {
                return false;
            }
        }
        return patternParts.length == channelParts.length;
    }
}
