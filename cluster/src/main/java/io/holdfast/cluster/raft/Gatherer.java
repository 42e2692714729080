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
 * on what is in it, so the next one waits for as many as may come, but not for long. Where there
 * are no other nodes, nothing waits.
 */
final class Gatherer {
    private static final int MOST = 64;
    private static final int MOST_BYTES = 512 * 1024;

    /** The longest wait for more, and what part it is of the time that an entry took. */
    private static final long MOST_LINGER_NANOS = 4_000_000L;

    private static final int LINGER_PART = 2;

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

    /** All guarded by this. */
    private final Deque<Wish> wishes = new ArrayDeque<>();

    private int onTheirWay;

    /** How many wishes are likely to come, and until when to wait for them. */
    private int expected;

    private long lingerUntilNanos = System.nanoTime();
    private boolean timing;

    Gatherer(Way way, boolean alone) {
        this.way = way;
        this.alone = alone;
    }

    void add(byte[] entry, Consumer<Boolean> outcome) {
        synchronized (this) {
            wishes.addLast(new Wish(entry, outcome));
        }
        send();
    }

    private void send() {
        List<Wish> taken;
        CompletableFuture<RaftClientReply> reply;
        long sentNanos;
        synchronized (this) {
            long now = System.nanoTime();
            if (wishes.isEmpty() || waits(now)) {
                return;
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
        reply.whenComplete(
                (answer, failure) -> {
                    done(taken.size(), sentNanos);
                    boolean in = failure == null && answer != null && answer.isSuccess();
                    taken.forEach(wish -> wish.outcome.accept(in));
                    send();
                });
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
            CompletableFuture.delayedExecutor(lingerUntilNanos - now, TimeUnit.NANOSECONDS)
                    .execute(this::lingered);
        }
        return true;
    }

    private void lingered() {
        synchronized (this) {
            timing = false;
        }
        send();
    }

    private synchronized void done(int wishesDone, long sentNanos) {
        long now = System.nanoTime();
        onTheirWay--;
        expected = Math.min(MOST, wishesDone + wishes.size());
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
