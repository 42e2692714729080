package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.cluster.ClusterVersion;
import io.holdfast.cluster.driver.ReplicatedDriver;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.LogEntryEncoding;
import io.holdfast.cluster.state.Replica;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

@DisplayName("A proposal at the leader")
@Timeout(120)
class ProposalIT {
    private static final byte[] MALFORMED = {-1};

    @TempDir Path folder;

    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final RaftNode node = IdleDriver.node(RaftSettings.logLimits(IdleDriver.config()));
    private final ReplicatedDriver driver = IdleDriver.of(node);

    ProposalIT() throws Exception {}

    @BeforeEach
    void start() throws Exception {
        node.start(folder, false, false, driver, () -> new byte[0], failures::add, _ -> {});
        await().until(() -> node.log().isLeader());
    }

    @AfterEach
    void close() {
        node.close();
    }

    private long applied() {
        return driver.withState(Replica::entries);
    }

    private boolean propose(byte[] entry) throws Exception {
        CompletableFuture<Boolean> outcome = new CompletableFuture<>();
        node.log().propose(entry, outcome::complete);
        return outcome.get(60, TimeUnit.SECONDS);
    }

    @Test
    void a_raise_of_the_version_is_rejected_if_it_is_proposed_by_another_node() throws Exception {
        CompletableFuture<Boolean> rejected = new CompletableFuture<>();
        byte[] raise =
                LogEntryEncoding.encode(
                        new LogEntry.RaiseVersion(ClusterVersion.LATEST), ClusterVersion.FIRST);
        ((RatisLog) node.log()).receive(raise, () -> rejected.complete(true));
        assertThat(rejected).isCompletedWithValue(true);
        assertThat(propose(raise)).isTrue();
    }

    @Test
    void a_malformed_proposal_is_rejected_and_the_next_one_applied() throws Exception {
        long before = applied();
        assertThat(propose(MALFORMED)).isFalse();
        assertThat(propose(LogEntryEncoding.encode(new LogEntry.Tick(), ClusterVersion.FIRST)))
                .isTrue();
        assertThat(applied()).isEqualTo(before + 1);
        assertThat(failures).isEmpty();
    }
}
