package io.holdfast.driver;

/** Memory for one kind of state. Bytes are estimates; what is taken is given back once. */
public interface MemoryBudget {
    /** As much as anybody asks for. */
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

    /** Takes memory for a new piece of state, unless too little is left. */
    boolean tryReserve(long bytes);

    /** Takes memory for what exists already, however little is left. */
    void reserve(long bytes);

    void release(long bytes);

    /** Whether a small piece of state could be made now. */
    default boolean isLeft() {
        boolean left = tryReserve(1);
        if (left) {
            release(1);
        }
        return left;
    }
}
