package io.holdfast.engine.lock;

import io.holdfast.engine.QueuePolicy;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** The part of a read/write lock that exists only while there are readers or offers. */
final class ReadWriteState {
    final QueuePolicy policy;

    /** The waiting readers. All other waiters are in the queue of the resource. */
    final WaiterQueue readQueue = new WaiterQueue();

    /** The last arrival number of a waiter. */
    long arrivals;

    /** The unconfirmed offer; at most one. It is also one of the readers, or the writer. */
    @Nullable Hold offer;

    /** The readers by fence, offers included, in order of grant. */
    final Map<Long, Hold> readers = new LinkedHashMap<>(4);

    ReadWriteState(QueuePolicy queuePolicy) {
        this.policy = queuePolicy;
    }

    /** The waiter that arrived first; at least one must not be null. */
    static Waiter older(@Nullable Waiter read, @Nullable Waiter write) {
        if (read == null) {
            return Objects.requireNonNull(write);
        }
        return write == null || read.arrival < write.arrival ? read : write;
    }

    /**
     * The next waiter according to the policy, whether or not it can be admitted; null if there is
     * none.
     */
    @Nullable Waiter pick(@Nullable Waiter write) {
        Waiter read = readQueue.first;
        if (read == null || write == null) {
            return read == null ? write : read;
        }
        return switch (policy) {
            case FIFO -> older(read, write);
            case READER_PREFERRED -> read;
            case WRITER_PREFERRED -> write;
        };
    }
}
