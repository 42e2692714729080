package io.holdfast.driver.memory;

/**
 * A budget for each kind of state, so that no kind can use up the memory of another.
 *
 * @param names locks and semaphores, idle ones included
 * @param holds holds
 * @param waits waiters
 * @param data counters, values and lists
 * @param subscriptions registrations of signal listeners
 */
public record MemoryBudgets(
        MemoryBudget names,
        MemoryBudget holds,
        MemoryBudget waits,
        MemoryBudget data,
        MemoryBudget subscriptions) {
    public static final MemoryBudgets UNLIMITED = all(MemoryBudget.UNLIMITED);

    /** One budget for all kinds together, which counts pieces and ignores their size. */
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
