package io.holdfast.engine.lock;

import io.holdfast.engine.Command;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.QueuePolicy;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.hash.FieldHash;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;

/**
 * Admits one writer, or any number of readers. A {@link Command.RequestOffer} gets an offer first;
 * while an offer is not confirmed, no other session is admitted.
 */
final class ReadWriteLock extends Resource {
    private @Nullable Hold writer;

    /** Null until there is a reader or an offer: a plain lock does not need it. */
    private @Nullable ReadWriteState readWriteState;

    ReadWriteLock(Key key, UsageCounters usage) {
        super(key, usage);
    }

    @Override
    protected void hashFields(FieldHash out) {
        super.hashFields(out);
        out.flag(readWriteState != null);
        if (readWriteState != null) {
            out.number(SnapshotTags.of(readWriteState.policy)).number(readWriteState.arrivals);
        }
    }

    @Override
    void prepare(ReadWriteMode readWriteMode, EngineSettings engineSettings) {
        if (readWriteMode == ReadWriteMode.READ) {
            prepareForOffers(engineSettings);
        }
    }

    void prepareForOffers(EngineSettings engineSettings) {
        ReadWriteState _ = ensureReadWriteState(engineSettings.policy(key));
    }

    /** Prepares the lock for readers and offers. */
    ReadWriteState ensureReadWriteState(QueuePolicy queuePolicy) {
        if (readWriteState == null) {
            readWriteState = new ReadWriteState(queuePolicy);
        }
        return readWriteState;
    }

    @Nullable ReadWriteState readWriteState() {
        return readWriteState;
    }

    @Override
    boolean hasSeparateQueues() {
        return readWriteState != null;
    }

    @Override
    ResourceKind kind() {
        return ResourceKind.LOCK;
    }

    @Override
    long limit() {
        return 1;
    }

    @Override
    boolean hasFreeSlot() {
        return writer == null
                && !suspended
                && (readWriteState == null || readWriteState.readers.isEmpty());
    }

    @Override
    boolean admits(ReadWriteMode readWriteMode) {
        if (readWriteMode == ReadWriteMode.WRITE) {
            return super.admits(readWriteMode);
        }
        if (writer != null || suspended) {
            return false;
        }
        if (readWriteState == null) {
            return waiters == 0;
        }
        boolean first =
                waiters == 0
                        || (readWriteState.policy == QueuePolicy.READER_PREFERRED
                                && readWriteState.readQueue.first == null);
        return first && readWriteState.offer == null;
    }

    /** Whether a hold may be re-asserted while the lock is suspended. */
    boolean admitsAgain(ReadWriteMode readWriteMode) {
        if (!suspended || writer != null) {
            return false;
        }
        return readWriteState == null
                || readWriteState.readers.isEmpty()
                || (readWriteMode == ReadWriteMode.READ && readWriteState.offer == null);
    }

    @Override
    @Nullable Waiter next() {
        if (readWriteState == null) {
            return super.next();
        }
        if (writer != null || suspended || readWriteState.offer != null) {
            return null;
        }
        Waiter next = readWriteState.pick(firstWaiter());
        return readWriteState.readers.isEmpty() || isRead(next) ? next : null;
    }

    private static boolean isRead(@Nullable Waiter waiter) {
        return waiter != null && waiter.mode() == ReadWriteMode.READ;
    }

    @Override
    void append(Waiter waiter) {
        if (readWriteState == null) {
            super.append(waiter);
            return;
        }
        waiter.arrival = ++readWriteState.arrivals;
        if (isRead(waiter)) {
            readWriteState.readQueue.append(waiter);
            waiters++;
            usage.add(waiter);
        } else {
            super.append(waiter);
        }
    }

    @Override
    void remove(Waiter waiter) {
        if (readWriteState != null && isRead(waiter)) {
            readWriteState.readQueue.remove(waiter);
            waiters--;
            usage.remove(waiter);
        } else {
            super.remove(waiter);
        }
    }

    @Override
    void eachWait(Predicate<Waiter> viewer) {
        Waiter read = readWriteState == null ? null : readWriteState.readQueue.first;
        Waiter write = firstWaiter();
        while (read != null || write != null) {
            Waiter older = ReadWriteState.older(read, write);
            if (!viewer.test(older)) {
                return;
            }
            if (older == read) {
                read = older.behind;
            } else {
                write = older.behind;
            }
        }
    }

    @Override
    int holders() {
        return (writer == null ? 0 : 1)
                + (readWriteState == null ? 0 : readWriteState.readers.size());
    }

    /** Does not find holds that began as an offer: their tokens are never delivered. */
    @Override
    @Nullable Hold find(long fence) {
        Hold hold = writer;
        if (hold == null && readWriteState != null) {
            hold = readWriteState.readers.get(fence);
        }
        return hold != null && hold.fence == fence && hold.hasToken() ? hold : null;
    }

    /** Omits holds that began as an offer: their sessions refer to them by the request. */
    @Override
    @Nullable Hold holdOf(long session) {
        return writer != null && writer.session.id == session && writer.hasToken() ? writer : null;
    }

    @Override
    void add(Hold added) {
        if (readWriteState != null) {
            if (added.isOffer()) {
                readWriteState.offer = added;
            }
            if (added.mode() == ReadWriteMode.READ) {
                readWriteState.readers.put(added.fence, added);
                return;
            }
        }
        writer = added;
    }

    /** The offer has become a hold. */
    void endOffer() {
        if (readWriteState != null) {
            readWriteState.offer = null;
        }
    }

    @Override
    void remove(Hold removed) {
        if (readWriteState == null) {
            writer = null;
            return;
        }
        if (readWriteState.offer == removed) {
            readWriteState.offer = null;
        }
        if (removed == writer) {
            writer = null;
        } else {
            readWriteState.readers.remove(removed.fence);
        }
        dropReadWriteState();
    }

    /** Becomes a plain lock again if there are no readers and no waiters. */
    void dropReadWriteState() {
        if (readWriteState != null && waiters == 0 && readWriteState.readers.isEmpty()) {
            readWriteState = null; // no arrival number is in use
        }
    }

    /** A writer is the only holder. */
    @Override
    Collection<Hold> holds() {
        if (writer != null) {
            return List.of(writer);
        }
        return readWriteState == null ? List.of() : readWriteState.readers.values();
    }
}
