package io.holdfast.testsupport;

/**
 * How much a test does. The usual build has to be quick; {@code ./mvnw verify -Pthorough} is for
 * long random schedules, campaigns and big states.
 */
public final class TestTier {
    private TestTier() {}

    public static boolean isThorough() {
        return Boolean.getBoolean("thorough");
    }

    /** How often, or for how long: the first in the usual build, the second in a thorough one. */
    public static int usually(int usual, int thorough) {
        return isThorough() ? thorough : usual;
    }
}
