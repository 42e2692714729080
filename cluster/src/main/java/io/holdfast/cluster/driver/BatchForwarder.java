package io.holdfast.cluster.driver;

import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.cluster.entry.ByteWriter;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.LogEntryEncoding;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Brings what the sessions of one stint ask for into the log, in order and once. Items are gathered
 * into numbered batches; as long as a batch has not been seen in this node's own copy of the state,
 * it is sent again. Only {@link #flush} sends, one thread at a time; whoever adds items sees to it
 * that it is called.
 *
 * <p>What a batch costs depends little on what is in it, if other nodes have to have it. Those who
 * have just been answered are likely to ask again, so the next batch waits for them, but not for
 * long; and while one is on its way, another goes only if it is as large.
 */
final class BatchForwarder {
    /** What one batch may have. */
    private static final int MAX_ITEMS = 1024;

    private static final int MAX_BYTES = 128 * 1024;

    /** How many batches may be on their way. */
    private static final int WINDOW = 2;

    /** Those who were answered are waited for as long as their answer took, but not longer. */
    private static final long MAX_LINGER_NANOS = 4_000_000L;

    /** After a failure, and after no answer, it is sent again so much later. */
    private static final long RETRY_NANOS = 100_000_000L;

    private static final long SILENCE_NANOS = 500_000_000L;

    private static final class Batch {
        final long sequence;
        final byte[] bytes;
        final List<PendingBatchItem> items;
        final long firstSentNanos;
        boolean sent = true;
        long sentNanos;

        /** How many times it was sent. */
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
    private final Deque<PendingBatchItem> queue = new ArrayDeque<>();
    private final Deque<Batch> inFlight = new ArrayDeque<>();
    private final ByteWriter writer = new ByteWriter();
    private long incarnation;
    private long lastSequence;

    /** For how many items to wait, and until when. */
    private int expected;

    private long lingerUntilNanos = Long.MIN_VALUE;

    /** When the last batch that was applied was first sent: since then nobody calls us silent. */
    private long lastContactNanos;

    private long retryNanos = Long.MIN_VALUE;
    private boolean heartbeat;

    BatchForwarder(ReplicatedLog replicatedLog, LongSupplier clock) {
        this.replicatedLog = replicatedLog;
        this.clock = clock;
    }

    synchronized long incarnation() {
        return incarnation;
    }

    /** A stint begins. */
    synchronized void begin(long number, long nowNanos) {
        incarnation = number;
        lastSequence = 0;
        lastContactNanos = nowNanos;
        inFlight.clear();
        queue.clear();
    }

    /** The stint is over; what was on its way is returned, in order. */
    synchronized List<PendingBatchItem> end() {
        List<PendingBatchItem> lost = new ArrayList<>();
        inFlight.forEach(batch -> lost.addAll(batch.items));
        lost.addAll(queue);
        inFlight.clear();
        queue.clear();
        incarnation = 0;
        return lost;
    }

    /** Adds an item; whether somebody has to call {@link #flush}. */
    synchronized boolean add(PendingBatchItem item) {
        queue.addLast(item);
        return queue.size() == 1 || !waits(clock.getAsLong());
    }

    /** Says that the stint lives, if there is nothing else to say. */
    synchronized void heartbeat() {
        heartbeat = true;
    }

    /** Whether nothing is on its way. */
    synchronized boolean isEmpty() {
        return queue.isEmpty() && inFlight.isEmpty();
    }

    /** Since the oldest batch that was not applied yet was first sent; 0 if there is none. */
    synchronized long unansweredNanos() {
        Batch oldest = inFlight.peekFirst();
        return oldest == null ? 0 : clock.getAsLong() - oldest.firstSentNanos;
    }

    /** When the stint was last heard of, for certain. */
    synchronized long lastContactNanos() {
        return lastContactNanos;
    }

    /** What is in this node's copy of the state now was not there before a batch was sent. */
    synchronized void observeBatch(long ofStint, long sequence) {
        if (ofStint == incarnation) {
            for (Batch batch : inFlight) {
                if (batch.sequence <= sequence) {
                    lastContactNanos = Math.max(lastContactNanos, batch.firstSentNanos);
                }
            }
        }
    }

    /** This node's copy of the state has applied a batch. */
    synchronized boolean applied(long ofStint, long sequence) {
        if (ofStint != incarnation) {
            return false;
        }
        long now = clock.getAsLong();
        while (!inFlight.isEmpty() && inFlight.getFirst().sequence <= sequence) {
            Batch batch = inFlight.removeFirst();
            expected = batch.items.size();
            lingerUntilNanos = now + Math.min(MAX_LINGER_NANOS, now - batch.firstSentNanos);
        }
        return heartbeat || !queue.isEmpty();
    }

    /** Another node leads now: what was sent to the last one may be lost. */
    synchronized void leaderChanged() {
        resend();
        retryNanos = Long.MIN_VALUE;
    }

    private void resend() {
        inFlight.forEach(batch -> batch.sent = false);
    }

    /** Sends what can be sent; how long until more can, if nobody says so before. */
    long flush() {
        for (Batch next = next(); next != null; next = next()) {
            Batch batch = next;
            int sending = batch.attempts;
            replicatedLog.propose(batch.bytes, in -> outcome(batch, sending, in));
        }
        return lingerNanos();
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
        if ((queue.isEmpty() && !heartbeat) || waits(now)) {
            return null;
        }
        heartbeat = false;
        Batch batch = gather(now);
        inFlight.addLast(batch);
        return batch;
    }

    /** Whether the next batch is to wait for more, or for the one before it. */
    private boolean waits(long now) {
        Batch last = inFlight.peekLast();
        return last == null
                ? lingers(now)
                : inFlight.size() >= WINDOW
                        || (!replicatedLog.isAlone() && queue.size() < last.items.size());
    }

    private boolean lingers(long now) {
        return !replicatedLog.isAlone()
                && !queue.isEmpty()
                && queue.size() < expected
                && now < lingerUntilNanos;
    }

    private synchronized long lingerNanos() {
        long now = clock.getAsLong();
        return inFlight.isEmpty() && lingers(now) ? lingerUntilNanos - now : Long.MAX_VALUE;
    }

    private Batch gather(long now) {
        int most = Math.min(queue.size(), MAX_ITEMS);
        List<PendingBatchItem> taken = new ArrayList<>(most);
        List<BatchItem> items = new ArrayList<>(most);
        for (long bytes = 0; items.size() < most && bytes < MAX_BYTES; ) {
            PendingBatchItem next = queue.removeFirst();
            taken.add(next);
            items.add(next.item);
            bytes += bytesOf(next.item);
        }
        writer.clear();
        LogEntryEncoding.write(new LogEntry.Batch(incarnation, ++lastSequence, items), writer);
        return new Batch(lastSequence, writer.toBytes(), taken, now);
    }

    /** What may be long in it. */
    private static long bytesOf(BatchItem batchItem) {
        return switch (batchItem) {
            case BatchItem.Submit(Command.Data data) ->
                    switch (data.operation()) {
                        case DataOperation.SetValue(var value, _) -> value.length();
                        case DataOperation.Push(_, var value) -> value.length();
                        default -> 0;
                    };
            case BatchItem.Submit(var command) -> command.key().bytes().length;
            case BatchItem.Emit emit -> emit.payload().length();
            case BatchItem.Listen _,
                    BatchItem.Unlisten _,
                    BatchItem.RegisterSession _,
                    BatchItem.EndSession _ ->
                    0;
        };
    }

    private synchronized void outcome(Batch batch, int sending, boolean in) {
        if (!in && sending == batch.attempts && inFlight.contains(batch)) {
            resend();
            retryNanos = clock.getAsLong() + RETRY_NANOS;
        }
    }

    /**
     * Has what nobody answers for sent again, and finds those whose patience is over. Those who are
     * still here never get into the log. Whether nobody answered.
     */
    synchronized boolean tick(
            long now, List<PendingBatchItem> unsent, List<PendingBatchItem> unknown) {
        boolean silent = false;
        Batch first = inFlight.peekFirst();
        if (first != null && first.sent && now - first.sentNanos > SILENCE_NANOS) {
            silent = true;
            resend();
        }
        for (Batch batch : inFlight) {
            for (PendingBatchItem pendingBatchItem : batch.items) {
                if (!pendingBatchItem.timedOut && pendingBatchItem.untilNanos <= now) {
                    pendingBatchItem.timedOut = true;
                    unknown.add(pendingBatchItem);
                }
            }
        }
        Iterator<PendingBatchItem> waiting = queue.iterator();
        while (waiting.hasNext()) {
            PendingBatchItem pendingBatchItem = waiting.next();
            if (pendingBatchItem.untilNanos <= now) {
                waiting.remove();
                unsent.add(pendingBatchItem);
            }
        }
        return silent;
    }
}
