package io.holdfast.driver;

/** Issues fences: every number is greater than all issued before. */
public interface Fences extends AutoCloseable {
    /** The highest floor that can be set, so that the fences above it never run out. */
    long MAX_FLOOR = Long.MAX_VALUE - (1L << 62);

    /** Returns the next fence. May block if the next range could not be reserved in time. */
    long next();

    /**
     * Makes every fence issued from now on greater than {@code floor}. May block like {@link
     * #next()}.
     *
     * @throws IllegalArgumentException if the floor is above {@link #MAX_FLOOR}
     */
    void raise(long floor);

    /** Returns the floor if it is not above {@link #MAX_FLOOR}. */
    static long checkFloor(long floor) {
        if (floor > MAX_FLOOR) {
            throw new IllegalArgumentException("too high for a fence: " + floor);
        }
        return floor;
    }

    @Override
    void close();
}
