package io.holdfast.cluster.node;

import io.holdfast.cluster.entry.ByteWriter;
import io.holdfast.cluster.entry.Entry;
import io.holdfast.cluster.entry.EntryEncoding;
import io.holdfast.cluster.entry.Item;
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
 * it is sent again. Only {@link #pump} sends, one thread at a time; whoever adds items sees to it
 * that it is called.
 *
 * <p>What a batch costs depends little on what is in it, if other nodes have to have it. Those who
 * have just been answered are likely to ask again, so the next batch waits for them, but not for
 * long; and while one is on its way, another goes only if it is as large.
 */
final class Forwarder {
    /** What one batch may have. */
    private static final int MOST_ITEMS = 1024;

    private static final int MOST_BYTES = 128 * 1024;

    /** How many batches may be on their way. */
    private static final int WINDOW = 2;

    /** Those who were answered are waited for as long as their answer took, but not longer. */
    private static final long MOST_LINGER_NANOS = 4_000_000L;

    /** After a failure, and after no answer, it is sent again so much later. */
    private static final long RETRY_NANOS = 100_000_000L;

    private static final long SILENCE_NANOS = 500_000_000L;

    private static final class Batch {
        final long sequence;
        final byte[] bytes;
        final List<Pending> items;
        final long firstSentNanos;
        boolean sent = true;
        long sentNanos;

        /** How many times it was sent. */
        int sendings = 1;

        Batch(long sequence, byte[] bytes, List<Pending> items, long nowNanos) {
            this.sequence = sequence;
            this.bytes = bytes;
            this.items = items;
            this.firstSentNanos = nowNanos;
            this.sentNanos = nowNanos;
        }
    }

    private final Log log;
    private final LongSupplier clock;
    private final Deque<Pending> queue = new ArrayDeque<>();
    private final Deque<Batch> inFlight = new ArrayDeque<>();
    private final ByteWriter writer = new ByteWriter();
    private long stint;
    private long lastSequence;

    /** For how many items to wait, and until when. */
    private int expected;

    private long lingerUntilNanos = Long.MIN_VALUE;

    /** When the last batch that was applied was first sent: since then nobody calls us silent. */
    private long heardNanos;

    private long retryNanos = Long.MIN_VALUE;
    private boolean beat;

    Forwarder(Log log, LongSupplier clock) {
        this.log = log;
        this.clock = clock;
    }

    synchronized long stint() {
        return stint;
    }

    /** A stint begins. */
    synchronized void begin(long number, long nowNanos) {
        stint = number;
        lastSequence = 0;
        heardNanos = nowNanos;
        inFlight.clear();
        queue.clear();
    }

    /** The stint is over; what was on its way is returned, in order. */
    synchronized List<Pending> end() {
        List<Pending> lost = new ArrayList<>();
        inFlight.forEach(batch -> lost.addAll(batch.items));
        lost.addAll(queue);
        inFlight.clear();
        queue.clear();
        stint = 0;
        return lost;
    }

    /** Adds an item; whether somebody has to call {@link #pump}. */
    synchronized boolean add(Pending item) {
        queue.addLast(item);
        return queue.size() == 1 || !waits(clock.getAsLong());
    }

    /** Says that the stint lives, if there is nothing else to say. */
    synchronized void beat() {
        beat = true;
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
    synchronized long heardNanos() {
        return heardNanos;
    }

    /** What is in this node's copy of the state now was not there before a batch was sent. */
    synchronized void hear(long ofStint, long sequence) {
        if (ofStint == stint) {
            for (Batch batch : inFlight) {
                if (batch.sequence <= sequence) {
                    heardNanos = Math.max(heardNanos, batch.firstSentNanos);
                }
            }
        }
    }

    /** This node's copy of the state has applied a batch. */
    synchronized boolean applied(long ofStint, long sequence) {
        if (ofStint != stint) {
            return false;
        }
        long now = clock.getAsLong();
        while (!inFlight.isEmpty() && inFlight.getFirst().sequence <= sequence) {
            Batch batch = inFlight.removeFirst();
            expected = batch.items.size();
            lingerUntilNanos = now + Math.min(MOST_LINGER_NANOS, now - batch.firstSentNanos);
        }
        return beat || !queue.isEmpty();
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
    long pump() {
        for (Batch next = next(); next != null; next = next()) {
            Batch batch = next;
            int sending = batch.sendings;
            log.propose(batch.bytes, in -> outcome(batch, sending, in));
        }
        return lingerNanos();
    }

    private synchronized @Nullable Batch next() {
        long now = clock.getAsLong();
        if (stint == 0 || now < retryNanos) {
            return null;
        }
        for (Batch batch : inFlight) {
            if (!batch.sent) {
                batch.sent = true;
                batch.sentNanos = now;
                batch.sendings++;
                return batch;
            }
        }
        if ((queue.isEmpty() && !beat) || waits(now)) {
            return null;
        }
        beat = false;
        Batch batch = gather(now);
        inFlight.addLast(batch);
        return batch;
    }

    /** Whether the next batch is to wait for more, or for the one before it. */
    private boolean waits(long now) {
        Batch last = inFlight.peekLast();
        return last == null
                ? lingers(now)
                : inFlight.size() >= WINDOW || (!log.isAlone() && queue.size() < last.items.size());
    }

    private boolean lingers(long now) {
        return !log.isAlone()
                && !queue.isEmpty()
                && queue.size() < expected
                && now < lingerUntilNanos;
    }

    private synchronized long lingerNanos() {
        long now = clock.getAsLong();
        return inFlight.isEmpty() && lingers(now) ? lingerUntilNanos - now : Long.MAX_VALUE;
    }

    private Batch gather(long now) {
        int most = Math.min(queue.size(), MOST_ITEMS);
        List<Pending> taken = new ArrayList<>(most);
        List<Item> items = new ArrayList<>(most);
        for (long bytes = 0; items.size() < most && bytes < MOST_BYTES; ) {
            Pending next = queue.removeFirst();
            taken.add(next);
            items.add(next.item);
            bytes += bytesOf(next.item);
        }
        writer.clear();
        EntryEncoding.write(new Entry.Batch(stint, ++lastSequence, items), writer);
        return new Batch(lastSequence, writer.toBytes(), taken, now);
    }

    /** What may be long in it. */
    private static long bytesOf(Item item) {
        return switch (item) {
            case Item.Ask(Command.Data data) ->
                    switch (data.operation()) {
                        case DataOperation.SetValue(var value, _) -> value.length();
                        case DataOperation.Push(_, var value) -> value.length();
                        default -> 0;
                    };
            case Item.Ask(var command) -> command.key().bytes().length;
            case Item.Emit emit -> emit.payload().length();
            case Item.Listen _, Item.Unlisten _, Item.Introduce _, Item.End _ -> 0;
        };
    }

    private synchronized void outcome(Batch batch, int sending, boolean in) {
        if (!in && sending == batch.sendings && inFlight.contains(batch)) {
            resend();
            retryNanos = clock.getAsLong() + RETRY_NANOS;
        }
    }

    /**
     * Has what nobody answers for sent again, and finds those whose patience is over. Those who are
     * still here never get into the log. Whether nobody answered.
     */
    synchronized boolean pulse(long now, List<Pending> unsent, List<Pending> unknown) {
        boolean silent = false;
        Batch first = inFlight.peekFirst();
        if (first != null && first.sent && now - first.sentNanos > SILENCE_NANOS) {
            silent = true;
            resend();
        }
        for (Batch batch : inFlight) {
            for (Pending pending : batch.items) {
                if (!pending.givenUp && pending.untilNanos <= now) {
                    pending.givenUp = true;
                    unknown.add(pending);
                }
            }
        }
        Iterator<Pending> waiting = queue.iterator();
        while (waiting.hasNext()) {
            Pending pending = waiting.next();
            if (pending.untilNanos <= now) {
                waiting.remove();
                unsent.add(pending);
            }
        }
        return silent;
    }
}
