package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.cluster.ClusterVersion;
import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.LogEntryEncoding;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;

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
    private static final long INCARNATION = 7;
    private static final long SESSION = INCARNATION << 32;
    private static final BatchItem REQUEST =
            new BatchItem.Emit(SESSION, 1, Key.of("channel"), ByteString.EMPTY);

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
                () -> alone,
                time);
    }

    /** Adds proposals with one request each. */
    private void add(ProposalBatcher to, int count) {
        for (int i = 0; i < count; i++) {
            add(to, List.of(REQUEST));
        }
    }

    private void add(ProposalBatcher to, List<BatchItem> items) {
        to.add(
                proposal(new LogEntry.Batch(INCARNATION, 1, items)),
                committed -> {
                    outcomes.add(committed);
                    outcomeThreads.add(Thread.currentThread());
                });
    }

    /** Completes the entry in flight, after so long that the next one lingers for the maximum. */
    private void complete() {
        clock.addAndGet(Duration.ofDays(1).toNanos());
        replies.getLast().complete(success());
    }

    private static EntryMessage proposal(LogEntry entry) {
        return new EntryMessage(LogEntryEncoding.encode(entry, ClusterVersion.FIRST), entry);
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
    void an_entry_is_not_larger_than_what_may_be_in_flight_to_a_follower() {
        ProposalBatcher proposalBatcher = newBatcher(false);
        add(proposalBatcher, 1);
        for (int i = 0; i < 4; i++) {
            LogEntry entry = new LogEntry.Batch(INCARNATION, 1, List.of(REQUEST));
            proposalBatcher.add(new EntryMessage(new byte[100 * 1024], entry), outcomes::add);
        }
        complete();
        complete();
        assertThat(sent.subList(1, sent.size()))
                .hasSize(2)
                .allSatisfy(
                        entry -> assertThat(((LogEntry.EntryBatch) entry).entries()).hasSize(2));
    }

    @Test
    void an_entry_lingers_for_as_many_requests_as_one_of_the_last_entries_had() {
        ProposalBatcher proposalBatcher = newBatcher(false);
        add(proposalBatcher, 1);
        add(proposalBatcher, 3);
        complete();
        assertThat(sent).hasSize(2); // with the three, which came meanwhile
        complete();
        add(proposalBatcher, 2);
        assertThat(sent).hasSize(2);
        add(proposalBatcher, 1);
        assertThat(sent).hasSize(3);
    }

    @Test
    void an_entry_lingers_for_at_most_a_few_milliseconds() {
        ProposalBatcher proposalBatcher = newBatcher(false);
        add(proposalBatcher, 3);
        complete();
        complete();
        clock.addAndGet(Duration.ofMillis(4).toNanos() - 1);
        add(proposalBatcher, 1);
        assertThat(sent).hasSize(2);
        clock.addAndGet(1);
        proposalBatcher.add(proposal(new LogEntry.Tick()), outcomes::add);
        assertThat(sent).hasSize(3);
    }

    @Test
    void an_entry_is_submitted_after_lingering_without_further_proposals() {
        ProposalBatcher proposalBatcher = newBatcher(false, System::nanoTime);
        add(proposalBatcher, 3);
        replies.getLast().complete(success());
        replies.getLast().complete(success());
        add(proposalBatcher, 1);
        await().until(() -> sent.size() == 3);
    }

    @Test
    void an_entry_does_not_linger_for_requests_of_entries_long_ago() {
        ProposalBatcher proposalBatcher = newBatcher(false);
        add(proposalBatcher, 3);
        complete();
        for (int i = 0; i < 4; i++) {
            complete();
            clock.addAndGet(Duration.ofMillis(4).toNanos());
            add(proposalBatcher, 1);
        }
        complete();
        int before = sent.size();
        add(proposalBatcher, 1);
        assertThat(sent).hasSize(before + 1);
    }

    @Test
    void the_only_client_never_waits_for_others_not_even_after_its_first_request() {
        ProposalBatcher proposalBatcher = newBatcher(false);
        add(
                proposalBatcher,
                List.of(new BatchItem.RegisterSession(SESSION, "dflockd", "", false), REQUEST));
        for (int i = 1; i <= 3; i++) {
            assertThat(sent).hasSize(i);
            complete();
            add(proposalBatcher, 1);
        }
    }

    @Test
    void proposals_are_submitted_at_once_in_a_cluster_of_one() {
        ProposalBatcher proposalBatcher = newBatcher(true);
        add(proposalBatcher, 3);
        assertThat(sent).hasSize(3);
        complete();
        add(proposalBatcher, 1);
        assertThat(sent).hasSize(4);
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
