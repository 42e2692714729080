package io.holdfast.driver;

/**
 * A budget for each kind of state, so that no kind can use up the memory of another.
 *
 * @param names names of locks and semaphores, idle ones included
 * @param holds locks that are held, on names that exist
 * @param waits waiters
 * @param data counters, values and lists
 * @param subscriptions of listeners to signals
 */
public record MemoryBudgets(
        MemoryBudget names,
        MemoryBudget holds,
        MemoryBudget waits,
        MemoryBudget data,
        MemoryBudget subscriptions) {
    public static final MemoryBudgets UNLIMITED = all(MemoryBudget.UNLIMITED);

    /** One for all kinds together, which counts pieces whatever their size. */
    public static MemoryBudgets inPieces(FixedSizeMemoryBudget fixedSizeMemoryBudget) {
        return all(
                new MemoryBudget() {
                    @Override
                    public boolean tryReserve(long bytes) {
                        return fixedSizeMemoryBudget.tryReserve();
                    }

                    @Override
                    public void reserve(long bytes) {
                        boolean _ = fixedSizeMemoryBudget.tryReserve();
                    }

                    @Override
                    public void release(long bytes) {
                        fixedSizeMemoryBudget.release();
                    }
                });
    }

    /** One budget for all kinds together. */
    public static MemoryBudgets all(MemoryBudget budget) {
        return new MemoryBudgets(budget, budget, budget, budget, budget);
    }
}
