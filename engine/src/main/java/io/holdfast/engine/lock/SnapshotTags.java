package io.holdfast.engine.lock;

import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.QueuePolicy;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;

/**
 * The numbers that encode alternatives in a snapshot. They are stored in files and must not change.
 */
final class SnapshotTags {
    /** The format version, at the beginning of a snapshot. */
    static final int VERSION = 1;

    static final int LOCK = 0;
    static final int SEMAPHORE = 1;
    static final int SHARED = 2;
    static final int KINDS = 3;

    static final int FIFO = 0;
    static final int READER_PREFERRED = 1;
    static final int WRITER_PREFERRED = 2;
    static final int POLICIES = 3;

    /** A hold whose session has ended, or whose session is another one with the same number. */
    static final int ORPHAN = 0;

    /** A hold that was detached from a session that is being closed. */
    static final int DETACHED = 1;

    static final int OWNED = 2;
    static final int OWNERSHIP_KINDS = 3;

    /** Bits of the attributes of a hold; together with {@link #OFFERED} only the first is used. */
    static final int ATTRIBUTE_WRITE = 1;

    static final int ATTRIBUTE_BOUND = 2;
    static final int ATTRIBUTE_TRACKED = 4;
    static final int OFFERED = 8;
    static final int ATTRIBUTE_COMBINATIONS = 16;

    private SnapshotTags() {}

    static int of(ResourceKind resourceKind) {
        return switch (resourceKind) {
            case LOCK -> LOCK;
            case SEMAPHORE -> SEMAPHORE;
            case SHARED -> SHARED;
        };
    }

    static ResourceKind kind(int tag) {
        return switch (tag) {
            case LOCK -> ResourceKind.LOCK;
            case SEMAPHORE -> ResourceKind.SEMAPHORE;
            case SHARED -> ResourceKind.SHARED;
            default -> throw new IllegalArgumentException("unknown resource kind: " + tag);
        };
    }

    static int of(QueuePolicy queuePolicy) {
        return switch (queuePolicy) {
            case FIFO -> FIFO;
            case READER_PREFERRED -> READER_PREFERRED;
            case WRITER_PREFERRED -> WRITER_PREFERRED;
        };
    }

    static QueuePolicy policy(int tag) {
        return switch (tag) {
            case FIFO -> QueuePolicy.FIFO;
            case READER_PREFERRED -> QueuePolicy.READER_PREFERRED;
            case WRITER_PREFERRED -> QueuePolicy.WRITER_PREFERRED;
            default -> throw new IllegalArgumentException("unknown queue policy: " + tag);
        };
    }

    static int of(HoldAttributes holdAttributes) {
        return (holdAttributes.mode() == ReadWriteMode.WRITE ? ATTRIBUTE_WRITE : 0)
                | (holdAttributes.bound() ? ATTRIBUTE_BOUND : 0)
                | (holdAttributes.tracked() ? ATTRIBUTE_TRACKED : 0);
    }

    static HoldAttributes attributes(int tag) {
        return new HoldAttributes(
                mode(tag), (tag & ATTRIBUTE_BOUND) != 0, (tag & ATTRIBUTE_TRACKED) != 0);
    }

    /** The tag of an offer or of a waiter for one. */
    static int ofOffer(ReadWriteMode readWriteMode) {
        return OFFERED | (readWriteMode == ReadWriteMode.WRITE ? ATTRIBUTE_WRITE : 0);
    }

    static ReadWriteMode mode(int tag) {
        return (tag & ATTRIBUTE_WRITE) != 0 ? ReadWriteMode.WRITE : ReadWriteMode.READ;
    }
}
