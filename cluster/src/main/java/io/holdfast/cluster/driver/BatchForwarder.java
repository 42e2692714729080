package io.holdfast.cluster.driver;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.cluster.ClusterVersion;
import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.cluster.entry.ByteWriter;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.LogEntryEncoding;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Key;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Proposes the items of one incarnation's sessions, in order and exactly once. Items are collected
 * into numbered batches; a batch is proposed again until this node's replica has applied it. Only
 * {@link #flush} proposes, one thread at a time, soon after it was requested. Thread-safe; its
 * monitor is the innermost.
 *
 * <p>A batch has what came since the last flush: it waits for more only while the maximum number of
 * batches is in flight. The leader collects batches into log entries.
 */
final class BatchForwarder {
    /** The maximum number of items of a batch. */
    private static final int MAX_ITEMS = 1024;

    /** The maximum size of a batch; an item that is larger is a batch by itself. */
    private static final int MAX_BYTES = 128 * 1024;

    /** The length of the fields of an item that cannot be long. */
    private static final int ITEM_BYTES = 48;

    /** The maximum length of a character of a text. */
    private static final int MAX_CHARACTER_BYTES = 3;

    /** The maximum number of batches in flight. */
    static final int WINDOW = 64;

    /** The maximum number in a cluster of one, where each batch becomes a log entry of its own. */
    static final int WINDOW_ALONE = 2;

    /** The delay before batches are proposed again after a failure. */
    private static final long RETRY_NANOS = 100_000_000L;

    /** The time without an outcome after which batches are proposed again. */
    private static final long SILENCE_NANOS = 500_000_000L;

    /**
     * The same for a batch that was proposed before: over a slow link, batches that are proposed
     * again too early use the rate that the first ones need.
     */
    private static final long REPEATED_SILENCE_NANOS = 1_000_000_000L;

    private static final class Batch {
        final long sequence;
        final byte[] bytes;
        final List<PendingBatchItem> items;
        final long firstSentNanos;
        boolean sent = true;
        long sentNanos;

        /** The number of times it was sent. */
        int attempts = 1;

        Batch(long sequence, byte[] bytes, List<PendingBatchItem> items, long nowNanos) {
            this.sequence = sequence;
            this.bytes = bytes;
            this.items = items;
            this.firstSentNanos = nowNanos;
            this.sentNanos = nowNanos;
        }
    }

    private final ReplicatedLog replicatedLog;
    private final LongSupplier clock;
    private final Runnable requestFlush;

    /** The version of the cluster as this node's replica has it. */
    private volatile int version = ClusterVersion.FIRST;

    @GuardedBy("this")
    private final Deque<PendingBatchItem> queue = new ArrayDeque<>();

    @GuardedBy("this")
    private final Deque<Batch> inFlight = new ArrayDeque<>();

    @GuardedBy("this")
    private final ByteWriter writer = new ByteWriter();

    @GuardedBy("this")
    private long incarnation;

    @GuardedBy("this")
    private long lastSequence;

    /**
     * When the last applied batch was first sent: the node's last contact in the replicated state
     * is not earlier.
     */
    @GuardedBy("this")
    private long lastContactNanos;

    @GuardedBy("this")
    private long retryNanos = Long.MIN_VALUE;

    @GuardedBy("this")
    private boolean heartbeat;

    /**
     * @param requestFlush arranges that {@link #flush} is called soon
     */
    BatchForwarder(ReplicatedLog replicatedLog, LongSupplier clock, Runnable requestFlush) {
        this.replicatedLog = replicatedLog;
        this.clock = clock;
        this.requestFlush = requestFlush;
    }

    /** Sets the version of the cluster, in which entries are written. */
    void version(int next) {
        version = next;
    }

    int version() {
        return version;
    }

    synchronized long incarnation() {
        return incarnation;
    }

    /** Starts an incarnation. */
    synchronized void begin(long number, long nowNanos) {
        incarnation = number;
        lastSequence = 0;
        lastContactNanos = nowNanos;
        inFlight.clear();
        queue.clear();
    }

    /** Ends the incarnation. Returns the items that were not applied, in order. */
    synchronized List<PendingBatchItem> end() {
        List<PendingBatchItem> lost = new ArrayList<>();
        inFlight.forEach(batch -> lost.addAll(batch.items));
        lost.addAll(queue);
        inFlight.clear();
        queue.clear();
        incarnation = 0;
        return lost;
    }

    void add(PendingBatchItem item) {
        if (enqueue(item)) {
            requestFlush.run();
        }
    }

    /** Returns whether a flush could propose the item and is not requested yet. */
    private synchronized boolean enqueue(PendingBatchItem item) {
        queue.addLast(item);
        return queue.size() == 1;
    }

    /** Sends a heartbeat of the incarnation: the next batch is sent even if it is empty. */
    void heartbeat() {
        synchronized (this) {
            heartbeat = true;
        }
        requestFlush.run();
    }

    /** Whether all items have been applied. */
    synchronized boolean isEmpty() {
        return queue.isEmpty() && inFlight.isEmpty();
    }

    /** Returns the time since the oldest unapplied batch was first sent; 0 if there is none. */
    synchronized long unansweredNanos() {
        Batch oldest = inFlight.peekFirst();
        return oldest == null ? 0 : clock.getAsLong() - oldest.firstSentNanos;
    }

    /**
     * Returns a lower bound of the node's last contact in the replicated state, by this node's
     * clock.
     */
    synchronized long lastContactNanos() {
        return lastContactNanos;
    }

    /**
     * Notes that the replica is about to apply a batch: its state is now newer than the first
     * sending of that batch.
     */
    synchronized void observeBatch(long ofIncarnation, long sequence) {
        if (ofIncarnation == incarnation) {
            for (Batch batch : inFlight) {
                if (batch.sequence <= sequence) {
                    lastContactNanos = Math.max(lastContactNanos, batch.firstSentNanos);
                }
            }
        }
    }

    /** Notes that the replica has applied a batch. */
    void applied(long ofIncarnation, long sequence) {
        if (complete(ofIncarnation, sequence)) {
            requestFlush.run();
        }
    }

    /** Returns whether there is more to propose. */
    private synchronized boolean complete(long ofIncarnation, long sequence) {
        if (ofIncarnation != incarnation) {
            return false;
        }
        while (!inFlight.isEmpty() && inFlight.getFirst().sequence <= sequence) {
            inFlight.removeFirst();
        }
        return heartbeat || !queue.isEmpty();
    }

    /** The leader has changed: batches proposed to the previous one may be lost. */
    void leaderChanged() {
        synchronized (this) {
            resend();
            retryNanos = Long.MIN_VALUE;
        }
        requestFlush.run();
    }

    @GuardedBy("this")
    private void resend() {
        inFlight.forEach(batch -> batch.sent = false);
    }

    /** Proposes what can be proposed. */
    void flush() {
        for (Batch next = next(); next != null; next = next()) {
            Batch batch = next;
            int attempt = batch.attempts;
            replicatedLog.propose(batch.bytes, committed -> onOutcome(batch, attempt, committed));
        }
    }

    private synchronized @Nullable Batch next() {
        long now = clock.getAsLong();
        if (incarnation == 0 || now < retryNanos) {
            return null;
        }
        for (Batch batch : inFlight) {
            if (!batch.sent) {
                batch.sent = true;
                batch.sentNanos = now;
                batch.attempts++;
                return batch;
            }
        }
        if ((queue.isEmpty() && !heartbeat) || inFlight.size() >= window()) {
            return null;
        }
        heartbeat = false;
        Batch batch = nextBatch(now);
        inFlight.addLast(batch);
        return batch;
    }

    private int window() {
        return replicatedLog.isAlone() ? WINDOW_ALONE : WINDOW;
    }

    @GuardedBy("this")
    private Batch nextBatch(long now) {
        int max = Math.min(queue.size(), MAX_ITEMS);
        List<PendingBatchItem> taken = new ArrayList<>(max);
        List<BatchItem> items = new ArrayList<>(max);
        long bytes = 0;
        while (items.size() < max) {
            bytes += estimatedBytes(queue.getFirst().item);
            if (bytes > MAX_BYTES && !items.isEmpty()) {
                break;
            }
            PendingBatchItem next = queue.removeFirst();
            taken.add(next);
            items.add(next.item);
        }
        writer.clear();
        LogEntryEncoding.write(
                new LogEntry.Batch(incarnation, ++lastSequence, items), version, writer);
        return new Batch(lastSequence, writer.toBytes(), taken, now);
    }

    /** Returns about the length of an item, and no less if it is long. */
    private static int estimatedBytes(BatchItem batchItem) {
        return ITEM_BYTES
                + switch (batchItem) {
                    case BatchItem.Submit(var command) ->
                            length(command.key()) + valueBytes(command);
                    case BatchItem.Emit(_, _, var channel, var payload) ->
                            length(channel) + payload.length();
                    case BatchItem.Listen(_, _, var pattern, var group) ->
                            length(pattern) + group.length();
                    case BatchItem.Unlisten(_, _, var pattern, var group) ->
                            length(pattern) + group.length();
                    case BatchItem.RegisterSession(_, var protocol, var name, _) ->
                            MAX_CHARACTER_BYTES * (protocol.length() + name.length());
                    case BatchItem.EndSession _ -> 0;
                };
    }

    private static int length(Key key) {
        return key.bytes().length;
    }

    private static int valueBytes(Command.Keyed command) {
        return command instanceof Command.Data data
                ? switch (data.operation()) {
                    case DataOperation.SetValue(var value, _) -> value.length();
                    case DataOperation.Push(_, var item) -> item.length();
                    default -> 0;
                }
                : 0;
    }

    private synchronized void onOutcome(Batch batch, int attempt, boolean committed) {
        if (!committed && attempt == batch.attempts && inFlight.contains(batch)) {
            resend();
            retryNanos = clock.getAsLong() + RETRY_NANOS;
        }
    }

    /**
     * Marks batches for sending again if the oldest had no outcome for too long. Returns whether it
     * had not.
     */
    synchronized boolean resendIfSilent(long now) {
        Batch first = inFlight.peekFirst();
        boolean silent =
                first != null
                        && first.sent
                        && now - first.sentNanos
                                > (first.attempts == 1 ? SILENCE_NANOS : REPEATED_SILENCE_NANOS);
        if (silent) {
            resend();
        }
        return silent;
    }

    /**
     * Collects the items whose timeout has passed.
     *
     * @param unsent gets timed out items that were not proposed and are removed: they have no
     *     effect
     * @param unknown gets timed out items that are in flight: they may still be applied
     */
    synchronized void takeTimedOut(
            long now, List<PendingBatchItem> unsent, List<PendingBatchItem> unknown) {
        for (Batch batch : inFlight) {
            for (PendingBatchItem pendingBatchItem : batch.items) {
                if (!pendingBatchItem.timedOut && pendingBatchItem.deadlineNanos <= now) {
                    pendingBatchItem.timedOut = true;
                    unknown.add(pendingBatchItem);
                }
            }
        }
        Iterator<PendingBatchItem> waiting = queue.iterator();
        while (waiting.hasNext()) {
            PendingBatchItem pendingBatchItem = waiting.next();
            if (pendingBatchItem.deadlineNanos <= now) {
                waiting.remove();
                unsent.add(pendingBatchItem);
            }
        }
    }
}
