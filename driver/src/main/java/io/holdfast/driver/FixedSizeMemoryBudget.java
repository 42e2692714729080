package io.holdfast.driver;

/** Memory for state, in pieces of about the same size. */
@FunctionalInterface
public interface FixedSizeMemoryBudget {
    /** Takes room for one more piece of state, or says that there is none. */
    boolean tryReserve();

    /** Gives back what one piece took. */
    default void release() {}
}
