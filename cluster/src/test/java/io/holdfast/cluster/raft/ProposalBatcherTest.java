package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.LogEntryEncoding;

import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

@DisplayName("Batching of proposals on the leader")
@Timeout(120)
class ProposalBatcherTest {
    private static final long SOURCE = 7;
    private static final long OTHER = 8;

    private final List<LogEntry> sent = new CopyOnWriteArrayList<>();
    private final List<CompletableFuture<RaftClientReply>> replies = new CopyOnWriteArrayList<>();
    private final List<Boolean> outcomes = new CopyOnWriteArrayList<>();
    private final List<Thread> outcomeThreads = new CopyOnWriteArrayList<>();
    private final AtomicLong clock = new AtomicLong();

    private ProposalBatcher newBatcher(boolean alone) {
        return newBatcher(alone, clock::get);
    }

    private ProposalBatcher newBatcher(boolean alone, LongSupplier time) {
        return new ProposalBatcher(
                message -> {
                    sent.add(message.entry());
                    var reply = new CompletableFuture<RaftClientReply>();
                    replies.add(reply);
                    return reply;
                },
                alone,
                time);
    }

    private void add(ProposalBatcher to, int count) {
        add(to, SOURCE, count);
    }

    private void add(ProposalBatcher to, long source, int count) {
        for (int i = 0; i < count; i++) {
            to.add(
                    proposal(new LogEntry.Batch(source, 1, List.of())),
                    committed -> {
                        outcomes.add(committed);
                        outcomeThreads.add(Thread.currentThread());
                    });
        }
    }

    private static EntryMessage proposal(LogEntry entry) {
        return new EntryMessage(LogEntryEncoding.encode(entry), entry);
    }

    private static RaftClientReply success() {
        return RaftClientReply.newBuilder()
                .setClientId(ClientId.randomId())
                .setServerId(RaftPeerId.valueOf("n1"))
                .setGroupId(RaftGroupId.randomId())
                .setSuccess()
                .build();
    }

    @Test
    void proposals_are_collected_into_one_entry_while_another_is_in_flight() {
        ProposalBatcher proposalBatcher = newBatcher(false);
        add(proposalBatcher, 4);
        assertThat(sent).hasSize(1);
        replies.getFirst().complete(success());
        assertThat(outcomes).containsExactly(true);
        assertThat(sent).hasSize(2);
        assertThat(sent.getLast())
                .isInstanceOfSatisfying(
                        LogEntry.EntryBatch.class,
                        entryBatch -> assertThat(entryBatch.entries()).hasSize(3));
    }

    @Test
    void an_entry_lingers_for_nodes_with_recent_proposals() {
        ProposalBatcher proposalBatcher = newBatcher(false);
        add(proposalBatcher, OTHER, 1);
        clock.addAndGet(Duration.ofDays(1).toNanos());
        replies.getFirst().complete(success());
        add(proposalBatcher, SOURCE, 1);
        assertThat(sent).hasSize(1);
        add(proposalBatcher, OTHER, 1);
        assertThat(sent).hasSize(2);
    }

    @Test
    void an_entry_lingers_for_at_most_a_few_milliseconds() {
        ProposalBatcher proposalBatcher = newBatcher(false);
        add(proposalBatcher, OTHER, 1);
        clock.addAndGet(Duration.ofDays(1).toNanos());
        replies.getFirst().complete(success());
        clock.addAndGet(Duration.ofMillis(4).toNanos());
        add(proposalBatcher, SOURCE, 1);
        assertThat(sent).hasSize(2);
    }

    @Test
    void an_entry_is_submitted_after_lingering_without_further_proposals() {
        ProposalBatcher proposalBatcher = newBatcher(false, System::nanoTime);
        add(proposalBatcher, OTHER, 1);
        replies.getFirst().complete(success());
        add(proposalBatcher, SOURCE, 1);
        await().until(() -> sent.size() == 2);
    }

    @Test
    void an_entry_does_not_linger_for_nodes_without_recent_proposals() {
        ProposalBatcher proposalBatcher = newBatcher(false);
        add(proposalBatcher, OTHER, 1);
        for (int i = 0; i < 5; i++) {
            clock.addAndGet(Duration.ofDays(1).toNanos());
            replies.getLast().complete(success());
            clock.addAndGet(Duration.ofMillis(4).toNanos());
            add(proposalBatcher, SOURCE, 1);
        }
        replies.getLast().complete(success());
        int before = sent.size();
        add(proposalBatcher, SOURCE, 1);
        assertThat(sent).hasSize(before + 1);
    }

    @Test
    void an_entry_does_not_linger_for_further_proposals_that_come_from_no_client() {
        ProposalBatcher proposalBatcher = newBatcher(false);
        proposalBatcher.add(proposal(new LogEntry.Tick()), outcomes::add);
        clock.addAndGet(Duration.ofDays(1).toNanos());
        replies.getFirst().complete(success());
        add(proposalBatcher, SOURCE, 1);
        assertThat(sent).hasSize(2);
    }

    @Test
    void proposals_are_submitted_at_once_in_a_cluster_of_one() {
        add(newBatcher(true), 3);
        assertThat(sent).hasSize(3);
    }

    @Test
    void an_entry_without_a_reply_times_out_and_the_next_is_submitted() {
        ProposalBatcher proposalBatcher = newBatcher(false);
        add(proposalBatcher, 2);
        clock.addAndGet(Duration.ofSeconds(2).toNanos());
        proposalBatcher.check();
        assertThat(sent).hasSize(1);
        clock.addAndGet(1);
        proposalBatcher.check();
        assertThat(sent).hasSize(2);
        assertThat(outcomes).containsExactly(false);
        replies.getFirst().complete(success()); // too late
        assertThat(outcomes).containsExactly(false);
    }

    @Test
    void a_failed_proposal_is_reported_on_a_thread_without_locks_of_the_log() {
        add(newBatcher(true), 1);
        replies.getFirst().completeExceptionally(new IOException("not the leader"));
        await().until(() -> !outcomes.isEmpty());
        assertThat(outcomes).containsExactly(false);
        assertThat(outcomeThreads).doesNotContain(Thread.currentThread());
    }
}
