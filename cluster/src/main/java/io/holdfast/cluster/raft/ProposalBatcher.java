package io.holdfast.cluster.raft;

import io.holdfast.cluster.entry.LogEntryEncoding;

import org.apache.ratis.protocol.RaftClientReply;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What the leader's own clients and the other nodes want in the log, on its way there. What an
 * entry costs depends little on what is in it: while one is being written, what comes is gathered
 * into the next, and that waits for the nodes that had something in the last few, but not for long.
 * Where there are no other nodes, nothing waits.
 */
final class ProposalBatcher {
    private static final int MAX_PROPOSALS = 64;
    private static final int MAX_BYTES = 512 * 1024;

    /** An entry that takes longer may have got in or not; Ratis may never say. */
    private static final long MAX_NANOS = 2_000_000_000L;

    /** The longest wait for other nodes, and what it is of the time that an entry took. */
    private static final long MAX_LINGER_NANOS = 4_000_000L;

    private static final int LINGER_TIMES = 2;

    /** Who had something in so many entries is likely to have something in the next. */
    private static final int RECENT = 4;

    /** Who has something that nobody waits for. */
    static final long NOBODY = -1;

    /** The way into the log. */
    interface LogSubmitter {
        CompletableFuture<RaftClientReply> submit(byte[] entry) throws IOException;
    }

    private static final class Proposal {
        final long source;
        final byte[] entry;
        final Consumer<Boolean> outcome;

        Proposal(long source, byte[] entry, Consumer<Boolean> outcome) {
            this.source = source;
            this.entry = entry;
            this.outcome = outcome;
        }
    }

    /** An entry on its way. */
    private static final class Sent {
        final List<Proposal> proposals;
        final long sentNanos;

        Sent(List<Proposal> wishes, long sentNanos) {
            this.proposals = wishes;
            this.sentNanos = sentNanos;
        }
    }

    private final LogSubmitter submitter;
    private final boolean alone;
    private final LongSupplier clock;

    /** All guarded by this. */
    private final Deque<Proposal> proposals = new ArrayDeque<>();

    private final Deque<Sent> inFlight = new ArrayDeque<>();

    /** Who had something in the last entries. */
    private final Deque<Set<Long>> recent = new ArrayDeque<>();

    private long lingerUntilNanos;
    private boolean timing;

    /**
     * @param alone whether there are no other nodes
     */
    ProposalBatcher(LogSubmitter logSubmitter, boolean alone, LongSupplier clock) {
        this.submitter = logSubmitter;
        this.alone = alone;
        this.clock = clock;
        this.lingerUntilNanos = clock.getAsLong();
    }

    /**
     * Brings an entry in.
     *
     * @param source who wants it, or {@link #NOBODY}
     */
    void add(long source, byte[] entry, Consumer<Boolean> outcome) {
        synchronized (this) {
            proposals.addLast(new Proposal(source, entry, outcome));
        }
        send();
    }

    private void send() {
        Sent sent;
        CompletableFuture<RaftClientReply> reply;
        synchronized (this) {
            long now = clock.getAsLong();
            if (proposals.isEmpty() || waits(now)) {
                return;
            }
            sent = new Sent(takeBatch(), now);
            inFlight.addLast(sent);
            try {
                reply = submitter.submit(bytes(sent.proposals));
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
    }

    /** Whether the next entry is to wait for the one before it, or for more. */
    private boolean waits(long now) {
        return !alone && (!inFlight.isEmpty() || lingers(now));
    }

    private boolean lingers(long now) {
        if (now - lingerUntilNanos >= 0 || areAllHere()) {
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

    private boolean areAllHere() {
        for (Set<Long> sources : recent) {
            for (long source : sources) {
                if (proposals.stream().noneMatch(proposal -> proposal.source == source)) {
                    return false;
                }
            }
        }
        return true;
    }

    private void lingered() {
        synchronized (this) {
            timing = false;
        }
        send();
    }

    private void done(Sent sent, boolean in) {
        synchronized (this) {
            if (!inFlight.remove(sent)) {
                return; // it took too long
            }
            long now = clock.getAsLong();
            lingerUntilNanos =
                    now + Math.min(MAX_LINGER_NANOS, (now - sent.sentNanos) * LINGER_TIMES);
            remember(sent.proposals);
        }
        sent.proposals.forEach(proposal -> proposal.outcome.accept(in));
        send();
    }

    private void remember(List<Proposal> done) {
        Set<Long> sources = new HashSet<>();
        done.forEach(proposal -> sources.add(proposal.source));
        sources.remove(NOBODY);
        recent.addLast(sources);
        if (recent.size() > RECENT) {
            recent.removeFirst();
        }
    }

    /** Goes on after entries that nobody has said anything of; to be called now and then. */
    void check() {
        long now = clock.getAsLong();
        List<Sent> silent;
        synchronized (this) {
            silent = inFlight.stream().filter(sent -> now - sent.sentNanos > MAX_NANOS).toList();
        }
        silent.forEach(sent -> done(sent, false));
    }

    private List<Proposal> takeBatch() {
        List<Proposal> taken = new ArrayList<>();
        for (int bytes = 0;
                !proposals.isEmpty() && taken.size() < MAX_PROPOSALS && bytes < MAX_BYTES; ) {
            Proposal next = proposals.removeFirst();
            taken.add(next);
            bytes += next.entry.length;
        }
        return taken;
    }

    private static byte[] bytes(List<Proposal> taken) {
        return taken.size() == 1
                ? taken.getFirst().entry
                : LogEntryEncoding.batchOf(taken.stream().map(proposal -> proposal.entry).toList());
    }
}
