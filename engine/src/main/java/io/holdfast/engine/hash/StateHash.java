package io.holdfast.engine.hash;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * The sum of the hashes of all records of a state, kept while they change: equal states have equal
 * sums, whatever happened before. The order of records counts where they mix in their neighbors.
 *
 * <p>A changed record leaves the sum, and enters it again with many others; so one that changes
 * often, or is soon removed, costs little. The number of records that wait for that is limited, and
 * so is the time that {@link #value} takes.
 */
public final class StateHash {
    /**
     * The version of what is hashed, and how. Hashes of different versions must not be compared: a
     * change of any {@link HashedRecord#hashFields} needs another one.
     */
    public static final int VERSION = 1;

    private static final int MAX_CHANGED = 1024;

    private final boolean on;
    private final FieldHash fields = new FieldHash();
    private HashedRecord[] changed;
    private int count;
    private long sum;

    /**
     * @param on whether there is a hash; without, all methods do nothing
     */
    public StateHash(boolean on) {
        this.on = on;
        this.changed = new HashedRecord[on ? MAX_CHANGED : 0];
    }

    public boolean isOn() {
        return on;
    }

    /** Adds a record; without effect if it is in the sum. */
    public void add(HashedRecord added) {
        if (on && added.hash == HashedRecord.ABSENT) {
            enqueue(added);
        }
    }

    /**
     * A record changes, before or after this call, until the next one of {@link #settle}; without
     * effect if it is null or not in the sum.
     */
    public void changed(@Nullable HashedRecord record) {
        if (on
                && record != null
                && record.hash != HashedRecord.ABSENT
                && record.hash != HashedRecord.CHANGED) {
            sum -= record.hash;
            enqueue(record);
        }
    }

    /** Removes a record, if it is in the sum. */
    public void remove(HashedRecord removed) {
        if (!on) {
            return;
        }
        if (removed.hash != HashedRecord.CHANGED) {
            sum -= removed.hash;
        }
        removed.hash = HashedRecord.ABSENT;
    }

    /** Called when no record is in the middle of a change. */
    public void settle() {
        if (count >= MAX_CHANGED) {
            addChanged();
        }
    }

    /** Returns the sum, when no record is in the middle of a change. */
    public long value() {
        addChanged();
        return sum;
    }

    /** Returns the hash of a record as it is now. */
    public static long hashOf(HashedRecord record) {
        return hashOf(record, new FieldHash());
    }

    private static long hashOf(HashedRecord record, FieldHash fields) {
        record.hashFields(fields.clear());
        long hash = fields.value();
        return hash == HashedRecord.ABSENT || hash == HashedRecord.CHANGED ? ~hash : hash;
    }

    private void enqueue(HashedRecord record) {
        record.hash = HashedRecord.CHANGED;
        if (count == changed.length) {
            changed = Arrays.copyOf(changed, 2 * count);
        }
        changed[count++] = record;
    }

    private void addChanged() {
        for (int i = 0; i < count; i++) {
            HashedRecord record = changed[i];
            if (record.hash == HashedRecord.CHANGED) { // neither removed nor added meanwhile
                record.hash = hashOf(record, fields);
                sum += record.hash;
            }
        }
        if (changed.length > MAX_CHANGED * 4) {
            changed = new HashedRecord[MAX_CHANGED];
        } else {
            Arrays.fill(changed, 0, count, null);
        }
        count = 0;
    }
}
