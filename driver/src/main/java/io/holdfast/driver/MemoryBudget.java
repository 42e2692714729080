package io.holdfast.driver;

/** Memory for one kind of state. Bytes are estimates; what is taken is given back once. */
public interface MemoryBudget {
    /** As much as anybody asks for. */
    MemoryBudget UNLIMITED =
            new MemoryBudget() {
                @Override
                public boolean take(long bytes) {
                    return true;
                }

                @Override
                public void charge(long bytes) {}

                @Override
                public void giveBack(long bytes) {}
            };

    /** Takes memory for a new piece of state, unless too little is left. */
    boolean take(long bytes);

    /** Takes memory for what exists already, however little is left. */
    void charge(long bytes);

    void giveBack(long bytes);

    /** Whether a small piece of state could be made now. */
    default boolean isLeft() {
        boolean left = take(1);
        if (left) {
            giveBack(1);
        }
        return left;
    }
}
