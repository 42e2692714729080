package io.holdfast.cluster.raft;

import io.holdfast.cluster.entry.EntryEncoding;

import org.apache.ratis.protocol.RaftClientReply;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What the leader's own clients and the other nodes want in the log, on its way there. What an
 * entry costs depends little on what is in it: while one is being written, what comes is gathered
 * into the next. Where there are no other nodes, nothing waits.
 */
final class Gatherer {
    private static final int MOST = 64;
    private static final int MOST_BYTES = 512 * 1024;

    /** An entry that takes longer may have got in or not; Ratis may never say. */
    private static final long LONGEST_NANOS = 2_000_000_000L;

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

    /** An entry on its way. */
    private static final class Sent {
        final List<Wish> wishes;
        final long sentNanos;

        Sent(List<Wish> wishes, long sentNanos) {
            this.wishes = wishes;
            this.sentNanos = sentNanos;
        }
    }

    private final Way way;
    private final boolean alone;
    private final Runnable resting;
    private final LongSupplier clock;

    /** Both guarded by this. */
    private final Deque<Wish> wishes = new ArrayDeque<>();

    private final Deque<Sent> onTheirWay = new ArrayDeque<>();

    /**
     * @param alone whether there are no other nodes
     * @param resting told when an entry is decided and no other goes after it at once
     */
    Gatherer(Way way, boolean alone, Runnable resting, LongSupplier clock) {
        this.way = way;
        this.alone = alone;
        this.resting = resting;
        this.clock = clock;
    }

    void add(byte[] entry, Consumer<Boolean> outcome) {
        synchronized (this) {
            wishes.addLast(new Wish(entry, outcome));
        }
        boolean _ = send();
    }

    /** Whether an entry went on its way. */
    private boolean send() {
        Sent sent;
        CompletableFuture<RaftClientReply> reply;
        synchronized (this) {
            if (wishes.isEmpty() || (!alone && !onTheirWay.isEmpty())) {
                return false;
            }
            sent = new Sent(take(), clock.getAsLong());
            onTheirWay.addLast(sent);
            try {
                reply = way.submit(bytes(sent.wishes));
            } catch (IOException | RuntimeException e) {
                reply = CompletableFuture.failedFuture(e);
            }
        }
        reply.whenComplete(
                (answer, failure) -> {
                    if (failure == null && answer != null && answer.isSuccess()) {
                        done(sent, true);
                    } else { // Ratis says so under a lock that submitting takes
                        Thread.startVirtualThread(() -> done(sent, false));
                    }
                });
        return true;
    }

    private void done(Sent sent, boolean in) {
        synchronized (this) {
            if (!onTheirWay.remove(sent)) {
                return; // it took too long
            }
        }
        sent.wishes.forEach(wish -> wish.outcome.accept(in));
        if (!send()) {
            resting.run();
        }
    }

    /** Goes on after entries that nobody has said anything of; to be called now and then. */
    void check() {
        long now = clock.getAsLong();
        List<Sent> silent;
        synchronized (this) {
            silent =
                    onTheirWay.stream()
                            .filter(sent -> now - sent.sentNanos > LONGEST_NANOS)
                            .toList();
        }
        silent.forEach(sent -> done(sent, false));
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
