package io.holdfast.cluster.raft;

import io.holdfast.cluster.entry.LogEntry;

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
 * Collects the proposals of the leader and of the other nodes into log entries. The cost of an
 * entry depends little on its size: while one entry is being written, proposals are collected for
 * the next, which then waits for a limited time (lingers) for the nodes that had proposals in the
 * last few entries. In a cluster of one, nothing waits.
 */
final class ProposalBatcher {
    private static final int MAX_PROPOSALS = 64;
    private static final int MAX_BYTES = 512 * 1024;

    /**
     * The time after which an entry counts as failed: it may still be committed, and Ratis may
     * never complete it.
     */
    private static final long MAX_NANOS = 2_000_000_000L;

    /** The maximum time to linger. */
    private static final long MAX_LINGER_NANOS = 4_000_000L;

    /** The time to linger, as a multiple of the time that the last entry took. */
    private static final int LINGER_TIMES = 2;

    /**
     * The number of entries in which a source counts as recent: it is likely to have proposals for
     * the next one.
     */
    private static final int RECENT = 4;

    /**
     * The source of proposals for which no entry waits; the numbers of incarnations are greater.
     */
    private static final long NO_SOURCE = 0;

    /** Submits an entry to the log. */
    interface LogSubmitter {
        CompletableFuture<RaftClientReply> submit(EntryMessage message) throws IOException;
    }

    private static final class Proposal {
        /** Identifies the proposing node by its incarnation. */
        final long source;

        final EntryMessage message;
        final Consumer<Boolean> outcome;

        Proposal(EntryMessage message, Consumer<Boolean> outcome) {
            this.source =
                    message.entry() instanceof LogEntry.Batch batch
                            ? batch.incarnation()
                            : NO_SOURCE;
            this.message = message;
            this.outcome = outcome;
        }
    }

    /** An entry in flight. */
    private static final class Sent {
        final List<Proposal> proposals;
        final long sentNanos;

        Sent(List<Proposal> proposals, long sentNanos) {
            this.proposals = proposals;
            this.sentNanos = sentNanos;
        }
    }

    private final LogSubmitter submitter;
    private final boolean alone;
    private final LongSupplier clock;

    /** This field and those below are guarded by this. */
    private final Deque<Proposal> proposals = new ArrayDeque<>();

    private final Deque<Sent> inFlight = new ArrayDeque<>();

    /** The sources of the last entries. */
    private final Deque<Set<Long>> recent = new ArrayDeque<>();

    private long lingerUntilNanos;
    private boolean timerSet;

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
     * Proposes an entry.
     *
     * @param outcome called once with whether it was committed, on any thread; after false it may
     *     still be committed
     */
    void add(EntryMessage message, Consumer<Boolean> outcome) {
        synchronized (this) {
            proposals.addLast(new Proposal(message, outcome));
        }
        send();
    }

    private void send() {
        Sent sent;
        CompletableFuture<RaftClientReply> reply;
        synchronized (this) {
            long now = clock.getAsLong();
            if (proposals.isEmpty() || mustWait(now)) {
                return;
            }
            sent = new Sent(takeBatch(), now);
            inFlight.addLast(sent);
            try {
                reply =
                        submitter.submit(
                                EntryMessage.batchOf(
                                        sent.proposals.stream()
                                                .map(proposal -> proposal.message)
                                                .toList()));
            } catch (IOException | RuntimeException e) {
                reply = CompletableFuture.failedFuture(e);
            }
        }
        reply.whenComplete(
                (result, failure) -> {
                    if (failure == null && result != null && result.isSuccess()) {
                        done(sent, true);
                    } else { // Ratis calls this under a lock that submitting acquires
                        Thread.startVirtualThread(() -> done(sent, false));
                    }
                });
    }

    /** Whether the next entry waits for the previous one or for more proposals. */
    private boolean mustWait(long now) {
        return !alone && (!inFlight.isEmpty() || isLingering(now));
    }

    private boolean isLingering(long now) {
        if (now - lingerUntilNanos >= 0 || haveAllRecentProposed()) {
            return false;
        }
        if (!timerSet) {
            timerSet = true;
            CompletableFuture.delayedExecutor(
                            lingerUntilNanos - now,
                            TimeUnit.NANOSECONDS,
                            Thread::startVirtualThread)
                    .execute(this::onLingerEnd);
        }
        return true;
    }

    private boolean haveAllRecentProposed() {
        for (Set<Long> sources : recent) {
            for (long source : sources) {
                if (proposals.stream().noneMatch(proposal -> proposal.source == source)) {
                    return false;
                }
            }
        }
        return true;
    }

    private void onLingerEnd() {
        synchronized (this) {
            timerSet = false;
        }
        send();
    }

    private void done(Sent sent, boolean committed) {
        synchronized (this) {
            if (!inFlight.remove(sent)) {
                return; // it has timed out already
            }
            long now = clock.getAsLong();
            lingerUntilNanos =
                    now + Math.min(MAX_LINGER_NANOS, (now - sent.sentNanos) * LINGER_TIMES);
            addRecent(sent.proposals);
        }
        sent.proposals.forEach(proposal -> proposal.outcome.accept(committed));
        send();
    }

    private void addRecent(List<Proposal> done) {
        Set<Long> sources = new HashSet<>();
        done.forEach(proposal -> sources.add(proposal.source));
        sources.remove(NO_SOURCE);
        recent.addLast(sources);
        if (recent.size() > RECENT) {
            recent.removeFirst();
        }
    }

    /** Times out entries that Ratis has not completed. Called periodically. */
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
            bytes += next.message.length();
        }
        return taken;
    }
}
