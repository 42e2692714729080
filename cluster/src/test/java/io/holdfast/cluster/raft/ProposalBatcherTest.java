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

@DisplayName("What is gathered on the leader")
@Timeout(120)
class ProposalBatcherTest {
    private static final byte[] WISH = LogEntryEncoding.encode(new LogEntry.Tick());

    private static final long SOURCE = 7;
    private static final long OTHER = 8;

    private final List<LogEntry> sent = new CopyOnWriteArrayList<>();
    private final List<CompletableFuture<RaftClientReply>> replies = new CopyOnWriteArrayList<>();
    private final List<Boolean> outcomes = new CopyOnWriteArrayList<>();
    private final List<Thread> tellers = new CopyOnWriteArrayList<>();
    private final AtomicLong clock = new AtomicLong();

    private ProposalBatcher gatherer(boolean alone) {
        return gatherer(alone, clock::get);
    }

    private ProposalBatcher gatherer(boolean alone, LongSupplier time) {
        return new ProposalBatcher(
                entry -> {
                    sent.add(LogEntryEncoding.decode(entry));
                    var reply = new CompletableFuture<RaftClientReply>();
                    replies.add(reply);
                    return reply;
                },
                alone,
                time);
    }

    private void add(ProposalBatcher to, int wishes) {
        add(to, SOURCE, wishes);
    }

    private void add(ProposalBatcher to, long source, int wishes) {
        for (int i = 0; i < wishes; i++) {
            to.add(
                    source,
                    WISH,
                    in -> {
                        outcomes.add(in);
                        tellers.add(Thread.currentThread());
                    });
        }
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
    void goes_into_one_entry_while_another_is_on_its_way() {
        ProposalBatcher proposalBatcher = gatherer(false);
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
    void waits_for_nodes_that_had_something_a_moment_ago() {
        ProposalBatcher proposalBatcher = gatherer(false);
        add(proposalBatcher, OTHER, 1);
        clock.addAndGet(Duration.ofDays(1).toNanos());
        replies.getFirst().complete(success());
        add(proposalBatcher, SOURCE, 1);
        assertThat(sent).hasSize(1);
        add(proposalBatcher, OTHER, 1);
        assertThat(sent).hasSize(2);
    }

    @Test
    void waits_for_them_no_longer_than_a_few_milliseconds() {
        ProposalBatcher proposalBatcher = gatherer(false);
        add(proposalBatcher, OTHER, 1);
        clock.addAndGet(Duration.ofDays(1).toNanos());
        replies.getFirst().complete(success());
        clock.addAndGet(Duration.ofMillis(4).toNanos());
        add(proposalBatcher, SOURCE, 1);
        assertThat(sent).hasSize(2);
    }

    @Test
    void goes_when_the_wait_is_over_though_nobody_else_comes() {
        ProposalBatcher proposalBatcher = gatherer(false, System::nanoTime);
        add(proposalBatcher, OTHER, 1);
        replies.getFirst().complete(success());
        add(proposalBatcher, SOURCE, 1);
        await().until(() -> sent.size() == 2);
    }

    @Test
    void forgets_nodes_that_want_nothing_any_more() {
        ProposalBatcher proposalBatcher = gatherer(false);
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
    void waits_for_nobody_on_a_node_that_is_alone() {
        add(gatherer(true), 3);
        assertThat(sent).hasSize(3);
    }

    @Test
    void goes_on_when_nobody_says_what_became_of_an_entry() {
        ProposalBatcher proposalBatcher = gatherer(false);
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
    void fails_where_no_lock_of_the_log_is_held() {
        add(gatherer(true), 1);
        replies.getFirst().completeExceptionally(new IOException("not the leader"));
        await().until(() -> !outcomes.isEmpty());
        assertThat(outcomes).containsExactly(false);
        assertThat(tellers).doesNotContain(Thread.currentThread());
    }
}
