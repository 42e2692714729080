package io.holdfast.driver;

/** Gives out fences: every number is above all given out before. */
public interface Fences extends AutoCloseable {
    /** The next fence. May block if the next range could not be reserved in time. */
    long next();

    @Override
    void close();
}
