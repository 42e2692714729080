package io.holdfast.testsupport;

/**
 * Scales tests by profile. The default build has to be quick; {@code ./mvnw verify -Pthorough} is
 * for long random schedules, campaigns and big states.
 */
public final class TestTier {
    private TestTier() {}

    public static boolean isThorough() {
        return Boolean.getBoolean("thorough");
    }

    /** Returns the first value in the default build and the second in a thorough one. */
    public static int usually(int usual, int thorough) {
        return isThorough() ? thorough : usual;
    }
}
