package io.holdfast.driver;

/** Gives out fences: every number is above all given out before. */
public interface Fences extends AutoCloseable {
    /** No floor may be above it, so that there are fences enough for ever. */
    long MAX_FLOOR = Long.MAX_VALUE - (1L << 62);

    /** The next fence. May block if the next range could not be reserved in time. */
    long next();

    /**
     * Makes every fence that is asked for from now on higher than {@code floor}. May block like
     * {@link #next()}.
     *
     * @throws IllegalArgumentException if hardly any number is higher
     */
    void raise(long floor);

    /** The floor itself, if there are fences enough above it. */
    static long checkFloor(long floor) {
        if (floor > MAX_FLOOR) {
            throw new IllegalArgumentException("too high for a fence: " + floor);
        }
        return floor;
    }

    @Override
    void close();
}
