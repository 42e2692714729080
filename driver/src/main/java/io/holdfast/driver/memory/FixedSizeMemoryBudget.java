package io.holdfast.driver.memory;

/** A memory budget that counts pieces of state of about the same size. */
@FunctionalInterface
public interface FixedSizeMemoryBudget {
    /** Reserves memory for one more piece of state; false if none is left. */
    boolean tryReserve();

    /** Releases the reservation of one piece. */
    default void release() {}
}
