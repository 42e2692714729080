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

/**
 * What the leader's own clients and the other nodes want in the log, on its way there: while an
 * entry is being written, what comes is gathered into the next. What an entry costs depends little
 * on what is in it.
 */
final class Gatherer {
    private static final int MOST = 64;
    private static final int MOST_BYTES = 512 * 1024;

    /** How many entries may be on their way. */
    private static final int WINDOW = 2;

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

    /** Both guarded by this. */
    private final Deque<Wish> wishes = new ArrayDeque<>();

    private int onTheirWay;

    Gatherer(Way way) {
        this.way = way;
    }

    void add(byte[] entry, Consumer<Boolean> outcome) {
        synchronized (this) {
            wishes.addLast(new Wish(entry, outcome));
        }
        send();
    }

    /** In order: one at a time submits. */
    private void send() {
        while (true) {
            List<Wish> taken;
            CompletableFuture<RaftClientReply> reply;
            synchronized (this) {
                if (onTheirWay >= WINDOW || wishes.isEmpty()) {
                    return;
                }
                taken = take();
                onTheirWay++;
                try {
                    reply = way.submit(bytes(taken));
                } catch (IOException | RuntimeException e) {
                    reply = CompletableFuture.failedFuture(e);
                }
            }
            reply.whenComplete(
                    (answer, failure) -> {
                        synchronized (this) {
                            onTheirWay--;
                        }
                        boolean in = failure == null && answer != null && answer.isSuccess();
                        taken.forEach(wish -> wish.outcome.accept(in));
                        send();
                    });
        }
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
