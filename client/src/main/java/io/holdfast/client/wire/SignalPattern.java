package io.holdfast.client.wire;

/** Which channels a pattern means. */
final class SignalPattern {
    private SignalPattern() {}

    /** {@code *} is any one word between dots, {@code >} one or more words at the end. */
    static boolean matches(String pattern, String channel) {
        String[] words = pattern.split("\\.", -1);
        String[] said = channel.split("\\.", -1);
        for (int i = 0; i < words.length; i++) {
            if (i >= said.length) {
                return false;
            }
            if (i == words.length - 1 && words[i].equals(">")) {
                return true;
            }
            if (!words[i].equals("*") && !words[i].equals(said[i])) {
                return false;
            }
        }
        return words.length == said.length;
    }
}
