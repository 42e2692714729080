package io.holdfast.engine.time;

import org.jspecify.annotations.Nullable;

/**
 * A hierarchical timing wheel for deadlines that are at least a tick away. A tick is about a
 * millisecond. A tick is written as a number in base 64; an entry is on the level of the most
 * significant digit in which its tick differs from the current tick, in the slot of its own digit
 * there. So the lowest non-empty level has the earliest entries. When the current tick reaches a
 * slot, its entries move to lower levels or, if their tick is reached, to the heap.
 */
final class DeadlineWheel {
    private static final int TICK_BITS = 20;
    private static final int DIGIT_BITS = 6;
    private static final int SLOTS = 1 << DIGIT_BITS;
    private static final int LEVELS = (Long.SIZE + DIGIT_BITS - 1) / DIGIT_BITS;
    private static final int FIRST_SLOT_INDEX = -2;

    private final DeadlineHeap heap;

    /** The first entry of each slot, level by level. */
    private final @Nullable Deadline[] slots = new Deadline[LEVELS * SLOTS];

    /** For each level, the set of non-empty slots. */
    private final long[] occupied = new long[LEVELS];

    /** The set of non-empty levels. */
    private int levels;

    private long tick = Long.MIN_VALUE >> TICK_BITS;
    private int size;

    DeadlineWheel(DeadlineHeap heap) {
        this.heap = heap;
    }

    int size() {
        return size;
    }

    /** The start of the current tick. */
    long reachedNanos() {
        return tick << TICK_BITS;
    }

    /** The start of the first non-empty slot; {@link Long#MAX_VALUE} if all are empty. */
    long next() {
        int level = lowestLevel();
        return level == Integer.SIZE ? Long.MAX_VALUE : startOf(level) << TICK_BITS;
    }

    /** Adds an entry, or passes it to the heap if its tick is reached. */
    void add(Deadline entry) {
        long entryTick = entry.time >> TICK_BITS;
        if (entryTick <= tick) {
            heap.add(entry);
            return;
        }
        int level = (Long.SIZE - 1 - Long.numberOfLeadingZeros(entryTick ^ tick)) / DIGIT_BITS;
        int digit = digit(entryTick, level);
        int slot = level * SLOTS + digit;
        Deadline first = slots[slot];
        entry.previous = null;
        entry.next = first;
        entry.index = FIRST_SLOT_INDEX - slot;
        if (first != null) {
            first.previous = entry;
        }
        slots[slot] = entry;
        occupied[level] |= 1L << digit;
        levels |= 1 << level;
        size++;
    }

    void remove(Deadline entry) {
        int slot = FIRST_SLOT_INDEX - entry.index;
        Deadline previous = entry.previous;
        Deadline next = entry.next;
        if (previous != null) {
            previous.next = next;
        } else {
            slots[slot] = next;
            if (next == null) {
                int level = slot / SLOTS;
                occupied[level] &= ~(1L << (slot % SLOTS));
                if (occupied[level] == 0) {
                    levels &= ~(1 << level);
                }
            }
        }
        if (next != null) {
            next.previous = previous;
        }
        entry.previous = null;
        entry.next = null;
        entry.index = Deadline.UNSCHEDULED;
        size--;
    }

    /**
     * Advances the current tick to that of {@code now}, and moves all entries whose tick is reached
     * to the heap.
     */
    void advance(long now) {
        long target = now >> TICK_BITS;
        if (target <= tick) {
            return;
        }
        for (int level = lowestLevel(); level < LEVELS; level = lowestLevel()) {
            long start = startOf(level);
            if (start > target) {
                break;
            }
            tick = start;
            int slot = level * SLOTS + digit(start, level);
            for (Deadline entry = slots[slot]; entry != null; entry = slots[slot]) {
                remove(entry);
                add(entry);
            }
        }
        tick = target;
    }

    /** {@link Integer#SIZE} if all levels are empty. */
    private int lowestLevel() {
        return Integer.numberOfTrailingZeros(levels);
    }

    /** The first tick of the first non-empty slot of a level. */
    private long startOf(int level) {
        int below = level * DIGIT_BITS;
        int digit = Long.numberOfTrailingZeros(occupied[level]);
        long above = below + DIGIT_BITS < Long.SIZE ? tick >> (below + DIGIT_BITS) : 0;
        return ((above << DIGIT_BITS) | digit) << below;
    }

    private static int digit(long number, int level) {
        return (int) (number >> (level * DIGIT_BITS)) & (SLOTS - 1);
    }
}
