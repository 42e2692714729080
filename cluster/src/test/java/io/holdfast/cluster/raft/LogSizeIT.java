package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.cluster.ClusterVersion;
import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.LogEntryEncoding;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

@DisplayName("On the disk the log")
@Timeout(120)
class LogSizeIT {
    private static final long MIB = 1024 * 1024;

    /** A session of an incarnation that does not exist: its items have no effect. */
    private static final long UNKNOWN_SESSION = 1 << 20;

    @TempDir Path folder;

    private static byte[] entry(int size) {
        ByteString payload = ByteString.of(new byte[size]);
        return LogEntryEncoding.encode(
                new LogEntry.Batch(
                        UNKNOWN_SESSION,
                        1,
                        List.of(
                                new BatchItem.Emit(
                                        UNKNOWN_SESSION, 1, Key.of("channel"), payload))),
                ClusterVersion.FIRST);
    }

    private static boolean propose(RaftNode node, byte[] entry) throws Exception {
        CompletableFuture<Boolean> outcome = new CompletableFuture<>();
        node.log().propose(entry, outcome::complete);
        return outcome.get(60, TimeUnit.SECONDS);
    }

    private long bytesOf(String prefix) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            long bytes = 0;
            for (Path file : files.toList()) {
                if (String.valueOf(file.getFileName()).startsWith(prefix)) {
                    bytes += Files.size(file);
                }
            }
            return bytes;
        }
    }

    @Test
    void the_log_stays_small_whatever_the_size_of_its_entries() throws Exception {
        byte[] entry = entry(400_000);
        var limits = new LogSizeLimits(1_000_000, 4 * MIB, 2 * MIB);
        try (RaftNode node = IdleDriver.node(limits)) {
            node.start(
                    folder, false, false, IdleDriver.of(node), () -> new byte[0], _ -> {}, _ -> {});
            await().until(() -> node.log().isLeader());
            for (int i = 0; i < 90; i++) { // 34 MiB
                assertThat(propose(node, entry)).isTrue();
            }
            // some segments of 8 MiB are retained only in part
            await().untilAsserted(() -> assertThat(bytesOf("log_")).isLessThan(26 * MIB));
            assertThat(bytesOf("log_")).isGreaterThan(2 * MIB);
        }
    }

    @Test
    void a_snapshot_is_written_once_per_limit_of_entries_whatever_is_retained() throws Exception {
        byte[] entry = entry(10);
        Set<String> snapshots = new HashSet<>();
        var limits = new LogSizeLimits(50, 1000 * MIB, 1000 * MIB);
        try (RaftNode node = IdleDriver.node(limits)) {
            node.start(
                    folder, false, false, IdleDriver.of(node), () -> new byte[0], _ -> {}, _ -> {});
            await().until(() -> node.log().isLeader());
            for (int i = 0; i < 200; i++) {
                assertThat(propose(node, entry)).isTrue();
                snapshots.addAll(snapshots());
            }
            await().until(() -> !snapshots().isEmpty());
            assertThat(snapshots).hasSizeLessThanOrEqualTo(4);
        }
    }

    private Set<String> snapshots() throws IOException {
        String group = IdleDriver.CLUSTER.toString();
        try (Stream<Path> files = Files.list(folder.resolve(group).resolve("sm"))) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .filter(name -> name.matches("snapshot\\.[0-9]+_[0-9]+"))
                    .collect(Collectors.toSet());
        }
    }
}
