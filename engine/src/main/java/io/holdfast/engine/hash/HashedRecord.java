package io.holdfast.engine.hash;

/**
 * A record of a state whose hash is part of a {@link StateHash}. It is in at most one, from {@link
 * StateHash#add} to {@link StateHash#remove}.
 */
public abstract class HashedRecord {
    /** The hash of a record that is in no sum. */
    static final long ABSENT = 0;

    /** The hash of a record that will be added to the sum again. */
    static final long CHANGED = 1;

    /** The part of the sum that this record is, unless it is one of the above. */
    long hash;

    /**
     * Mixes in all that makes the record differ from others, in constant time but for the length of
     * its key. Of its neighbors in a list it mixes in what never changes.
     */
    protected abstract void hashFields(FieldHash out);
}
