package io.holdfast.cluster.raft;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.cluster.entry.LogEntry;

import org.apache.ratis.protocol.RaftClientReply;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Collects the proposals of the leader and of the other nodes into log entries. The cost of an
 * entry depends little on its size: while one entry is being written, proposals are collected for
 * the next. Clients that have just received a response are likely to send the next request, so the
 * next entry then waits for a limited time (it lingers) until it has as many requests as the last
 * few entries had. In a cluster of one, whose entries are cheap, nothing waits.
 */
final class ProposalBatcher {
    private static final int MAX_PROPOSALS = 1024;

    /** The maximum size of an entry; a proposal that is larger is an entry by itself. */
    private static final int MAX_BYTES = RaftSettings.MAX_ENTRY_BYTES - 1024;

    /** The maximum length of what an entry batch adds to each entry in it. */
    private static final int ENTRY_OVERHEAD = 5;

    /**
     * The time after which an entry counts as failed: it may still be committed, and Ratis may
     * never complete it.
     */
    private static final long MAX_NANOS = 2_000_000_000L;

    /** The maximum time to linger. */
    private static final long MAX_LINGER_NANOS = 4_000_000L;

    /** The time to linger, as a multiple of the time that the last entry took. */
    private static final int LINGER_TIMES = 2;

    /** The number of entries whose sizes tell how many requests to expect for the next. */
    private static final int RECENT = 4;

    /** Submits an entry to the log. */
    interface LogSubmitter {
        CompletableFuture<RaftClientReply> submit(EntryMessage message) throws IOException;
    }

    private static final class Proposal {
        /** The number of requests of clients. */
        final int requests;

        final EntryMessage message;
        final Consumer<Boolean> outcome;

        Proposal(EntryMessage message, Consumer<Boolean> outcome) {
            this.requests = requests(message.entry());
            this.message = message;
            this.outcome = outcome;
        }

        private static int requests(LogEntry entry) {
            return entry instanceof LogEntry.Batch batch
                    ? (int) batch.items().stream().filter(item -> item.request() != 0).count()
                    : 0;
        }
    }

    /** An entry in flight. */
    private static final class Sent {
        final List<Proposal> proposals;
        final int requests;
        final long sentNanos;

        Sent(List<Proposal> proposals, long sentNanos) {
            this.proposals = proposals;
            this.requests = proposals.stream().mapToInt(proposal -> proposal.requests).sum();
            this.sentNanos = sentNanos;
        }
    }

    private final LogSubmitter submitter;
    private final BooleanSupplier alone;
    private final LongSupplier clock;

    @GuardedBy("this")
    private final Deque<Proposal> proposals = new ArrayDeque<>();

    @GuardedBy("this")
    private final Deque<Sent> inFlight = new ArrayDeque<>();

    /** The number of requests of each of the last entries that had any. */
    @GuardedBy("this")
    private final Deque<Integer> recent = new ArrayDeque<>();

    /** The number of requests in {@link #proposals}. */
    @GuardedBy("this")
    private int requests;

    @GuardedBy("this")
    private long lingerUntilNanos;

    @GuardedBy("this")
    private boolean timerSet;

    /**
     * @param alone whether there are no other nodes
     */
    ProposalBatcher(LogSubmitter logSubmitter, BooleanSupplier alone, LongSupplier clock) {
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
            Proposal proposal = new Proposal(message, outcome);
            proposals.addLast(proposal);
            requests += proposal.requests;
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
    @GuardedBy("this")
    private boolean mustWait(long now) {
        return (!inFlight.isEmpty() || isLingering(now)) && !alone.getAsBoolean();
    }

    @GuardedBy("this")
    private boolean isLingering(long now) {
        if (now - lingerUntilNanos >= 0 || requests >= expected()) {
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

    @GuardedBy("this")
    private int expected() {
        return recent.stream().mapToInt(Integer::intValue).max().orElse(0);
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
            if (sent.requests > 0) {
                recent.addLast(sent.requests);
            }
            if (recent.size() > RECENT) {
                recent.removeFirst();
            }
        }
        sent.proposals.forEach(proposal -> proposal.outcome.accept(committed));
        send();
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

    @GuardedBy("this")
    private List<Proposal> takeBatch() {
        List<Proposal> taken = new ArrayList<>();
        int bytes = 0;
        while (!proposals.isEmpty() && taken.size() < MAX_PROPOSALS) {
            bytes += proposals.getFirst().message.length() + ENTRY_OVERHEAD;
            if (bytes > MAX_BYTES && !taken.isEmpty()) {
                break;
            }
            Proposal next = proposals.removeFirst();
            taken.add(next);
            requests -= next.requests;
        }
        return taken;
    }
}
