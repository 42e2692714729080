package io.holdfast.driver;

/** Memory for state, in pieces of about the same size. */
@FunctionalInterface
public interface Room {
    /** Takes room for one more piece of state, or says that there is none. */
    boolean take();

    /** Gives back what one piece took. */
    default void giveBack() {}
}
