package io.holdfast.engine;

/**
 * The numbers that stand for choices in a written state. They stand in files: they never change.
 */
final class SnapshotTags {
    /** What stands in front of it. */
    static final int VERSION = 1;

    static final int LOCK = 0;
    static final int SEMAPHORE = 1;
    static final int SHARED = 2;
    static final int KINDS = 3;

    static final int FIFO = 0;
    static final int READER_PREFERRED = 1;
    static final int WRITER_PREFERRED = 2;
    static final int POLICIES = 3;

    /** Of a session that has ended, or of one that only goes by the same number. */
    static final int ORPHAN = 0;

    /** Of a session that is being closed and does not have it any more. */
    static final int DETACHED = 1;

    static final int OWNED = 2;
    static final int OWNERSHIP_KINDS = 3;

    /** Bits of terms; of what was {@link #OFFERED} for, only the first is looked at. */
    static final int TERMS_WRITE = 1;

    static final int TERMS_BOUND = 2;
    static final int TERMS_TRACKED = 4;
    static final int OFFERED = 8;
    static final int ALL_TERMS = 16;

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
            default -> throw new IllegalArgumentException("no kind: " + tag);
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
            default -> throw new IllegalArgumentException("no policy: " + tag);
        };
    }

    static int of(HoldAttributes holdAttributes) {
        return (holdAttributes.mode() == ReadWriteMode.WRITE ? TERMS_WRITE : 0)
                | (holdAttributes.bound() ? TERMS_BOUND : 0)
                | (holdAttributes.tracked() ? TERMS_TRACKED : 0);
    }

    static HoldAttributes terms(int tag) {
        return new HoldAttributes(mode(tag), (tag & TERMS_BOUND) != 0, (tag & TERMS_TRACKED) != 0);
    }

    /** What was asked for, as terms. */
    static int ofAsk(ReadWriteMode readWriteMode) {
        return OFFERED | (readWriteMode == ReadWriteMode.WRITE ? TERMS_WRITE : 0);
    }

    static ReadWriteMode mode(int tag) {
        return (tag & TERMS_WRITE) != 0 ? ReadWriteMode.WRITE : ReadWriteMode.READ;
    }
}
