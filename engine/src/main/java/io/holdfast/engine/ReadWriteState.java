package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** What a mutex needs only once there are readers or offers. */
final class ReadWriteState {
    final QueuePolicy policy;

    /** Those who wait to read. All others stand in the line of the resource. */
    final WaiterQueue readQueue = new WaiterQueue();

    /** The last number given to somebody in line. */
    long arrivals;

    /** The one offer that is out. It counts among the readers, or is the writer. */
    @Nullable OfferHold offer;

    /** By fence, offers included, in order of grant. */
    final Map<Long, Hold> readers = new LinkedHashMap<>(4);

    ReadWriteState(QueuePolicy queuePolicy) {
        this.policy = queuePolicy;
    }

    /** The one who came first, where at least one is there. */
    static Waiter older(@Nullable Waiter read, @Nullable Waiter write) {
        if (read == null) {
            return Objects.requireNonNull(write);
        }
        return write == null || read.arrival < write.arrival ? read : write;
    }

    /** Whose turn it is, whether or not there is place for it. */
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
