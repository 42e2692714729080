package io.holdfast.cluster.raft;

import io.holdfast.cluster.entry.EntryEncoding;

import org.apache.ratis.protocol.RaftClientReply;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * What the leader's own clients and the other nodes want in the log, on its way there: while an
 * entry is being written, what comes is gathered into the next. What an entry costs depends little
 * on what is in it, so the next one waits until as many want it as wanted the last, but not for
 * long. Where there are no other nodes, nothing waits.
 */
final class Gatherer {
    private static final int MOST = 64;
    private static final int MOST_BYTES = 512 * 1024;

    /** The longest wait for more, and what part it is of the time that an entry took. */
    private static final long MOST_LINGER_NANOS = 4_000_000L;

    private static final int LINGER_PART = 2;

    /** An entry that takes longer may have got in or not; Ratis may never say. */
    private static final long LONGEST_MILLIS = 2000;

    /** The way into the log. */
    interface Way {
        CompletableFuture<RaftClientReply> submit(byte[] entry) throws IOException;
    }

    private static final class Wish {
        final byte[] entry;
        final Consumer<Boolean> outcome;

        Wish(byte[] entry, Consumer<Boolean> outcome) {
            this.entry = entry;
            this.outcome = outcome;
        }
    }

    private final Way way;
    private final boolean alone;
    private final Runnable resting;

    /** All guarded by this. */
    private final Deque<Wish> wishes = new ArrayDeque<>();

    private int onTheirWay;

    /** For how many wishes to wait, and until when. */
    private int expected;

    private long lingerUntilNanos = System.nanoTime();
    private boolean timing;

    /**
     * @param alone whether there are no other nodes
     * @param resting told when an entry is decided and no other goes after it at once
     */
    Gatherer(Way way, boolean alone, Runnable resting) {
        this.way = way;
        this.alone = alone;
        this.resting = resting;
    }

    void add(byte[] entry, Consumer<Boolean> outcome) {
        synchronized (this) {
            wishes.addLast(new Wish(entry, outcome));
        }
        boolean _ = send();
    }

    /** Whether an entry went on its way. */
    private boolean send() {
        List<Wish> taken;
        CompletableFuture<RaftClientReply> reply;
        long sentNanos;
        synchronized (this) {
            long now = System.nanoTime();
            if (wishes.isEmpty() || waits(now)) {
                return false;
            }
            taken = take();
            onTheirWay++;
            sentNanos = now;
            try {
                reply = way.submit(bytes(taken));
            } catch (IOException | RuntimeException e) {
                reply = CompletableFuture.failedFuture(e);
            }
        }
        reply.copy()
                .orTimeout(LONGEST_MILLIS, TimeUnit.MILLISECONDS)
                .whenComplete(
                        (answer, failure) -> {
                            if (failure == null && answer != null && answer.isSuccess()) {
                                done(taken, sentNanos, true);
                            } else { // Ratis says so under a lock that submitting takes
                                Thread.startVirtualThread(() -> done(taken, sentNanos, false));
                            }
                        });
        return true;
    }

    private void done(List<Wish> taken, long sentNanos, boolean in) {
        free(taken.size(), sentNanos);
        taken.forEach(wish -> wish.outcome.accept(in));
        if (!send()) {
            resting.run();
        }
    }

    /** Whether the next entry is to wait for more, or for the one before it. */
    private boolean waits(long now) {
        return !alone && (onTheirWay > 0 || lingers(now));
    }

    private boolean lingers(long now) {
        if (wishes.size() >= expected || now - lingerUntilNanos >= 0) {
            return false;
        }
        if (!timing) {
            timing = true;
            CompletableFuture.delayedExecutor(
                            lingerUntilNanos - now,
                            TimeUnit.NANOSECONDS,
                            Thread::startVirtualThread)
                    .execute(this::lingered);
        }
        return true;
    }

    private void lingered() {
        synchronized (this) {
            timing = false;
        }
        boolean _ = send();
    }

    private synchronized void free(int wishesDone, long sentNanos) {
        long now = System.nanoTime();
        onTheirWay--;
        expected = wishesDone;
        lingerUntilNanos = now + Math.min(MOST_LINGER_NANOS, (now - sentNanos) / LINGER_PART);
    }

    private List<Wish> take() {
        List<Wish> taken = new ArrayList<>();
        for (int bytes = 0; !wishes.isEmpty() && taken.size() < MOST && bytes < MOST_BYTES; ) {
            Wish next = wishes.removeFirst();
            taken.add(next);
            bytes += next.entry.length;
        }
        return taken;
    }

    private static byte[] bytes(List<Wish> taken) {
        return taken.size() == 1
                ? taken.getFirst().entry
                : EntryEncoding.parcel(taken.stream().map(wish -> wish.entry).toList());
    }
}
