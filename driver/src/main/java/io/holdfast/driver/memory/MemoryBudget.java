package io.holdfast.driver.memory;

/**
 * A memory budget for one kind of state. Bytes are estimates; every reservation is released once.
 */
public interface MemoryBudget {
    /** Never refuses a reservation. */
    MemoryBudget UNLIMITED =
            new MemoryBudget() {
                @Override
                public boolean tryReserve(long bytes) {
                    return true;
                }

                @Override
                public void reserve(long bytes) {}

                @Override
                public void release(long bytes) {}
            };

    /** Reserves memory for new state, unless too little is left. */
    boolean tryReserve(long bytes);

    /** Reserves memory for state that exists already, even above the budget. */
    void reserve(long bytes);

    void release(long bytes);

    /** Whether any memory is left now. */
    default boolean isLeft() {
        boolean left = tryReserve(1);
        if (left) {
            release(1);
        }
        return left;
    }
}
