package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

/**
 * Deadlines that are some ticks away, in slots. A tick is about a millisecond. Time is read as a
 * number with digits of base 64; an entry stands on the level of the first digit, from the left, in
 * which its tick differs from the current one, in the slot of its own digit there. So the lowest
 * level that is not empty has the earliest entries. When the current tick reaches a slot, its
 * entries move to lower levels, or, when their tick has come, to the heap.
 */
final class DeadlineWheel {
    private static final int TICK_BITS = 20;
    private static final int DIGIT_BITS = 6;
    private static final int SLOTS = 1 << DIGIT_BITS;
    private static final int LEVELS = (Long.SIZE + DIGIT_BITS - 1) / DIGIT_BITS;
    private static final int FIRST_SLOT_INDEX = -2;

    private final DeadlineHeap heap;

    /** First entries of the slots, level by level. */
    private final @Nullable Deadline[] slots = new Deadline[LEVELS * SLOTS];

    /** For each level, which slots are not empty. */
    private final long[] occupied = new long[LEVELS];

    /** Which levels are not empty. */
    private int levels;

    private long tick = Long.MIN_VALUE >> TICK_BITS;
    private int size;

    DeadlineWheel(DeadlineHeap heap) {
        this.heap = heap;
    }

    int size() {
        return size;
    }

    /** When the current tick begins. */
    long reachedNanos() {
        return tick << TICK_BITS;
    }

    /** When the first slot that is not empty begins; {@link Long#MAX_VALUE} if all are. */
    long next() {
        int level = lowestLevel();
        return level == Integer.SIZE ? Long.MAX_VALUE : startOf(level) << TICK_BITS;
    }

    /** Takes an entry in, or gives it to the heap if its tick has come. */
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

    /** Moves the current tick on to that of a time, and all whose tick has come to the heap. */
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

    /** {@link Integer#SIZE} if all are empty. */
    private int lowestLevel() {
        return Integer.numberOfTrailingZeros(levels);
    }

    /** The first tick of the first slot in use on a level. */
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
