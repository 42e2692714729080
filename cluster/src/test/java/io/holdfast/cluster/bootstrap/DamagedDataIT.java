package io.holdfast.cluster.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.cluster.ClusterException;
import io.holdfast.engine.Effect;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

@DisplayName("A node whose files were changed while it was down")
@Timeout(120)
class DamagedDataIT {
    private static final int LOCKS = 60;
    private static final Duration LONG = Duration.ofHours(1);

    @TempDir private static Path folder;
    private static TestCluster alone;

    /** The data directory after a kill of the node's process and after a stop. */
    private static Path killed;

    private static Path stopped;

    /** Clients are disconnected by a stop, which releases their locks. */
    @BeforeAll
    static void use() throws IOException {
        alone = new TestCluster(folder, "n1");
        alone.start("n1");
        NodeClient nodeClient = new NodeClient(alone.node("n1"));
        for (int i = 0; i < LOCKS; i++) {
            assertThat(nodeClient.acquire(key(i), Duration.ZERO, LONG))
                    .isInstanceOf(Effect.Granted.class);
        }
        killed = folder.resolve("killed");
        stopped = folder.resolve("stopped");
        copy(alone.data("n1"), killed);
        alone.stop("n1");
        Files.move(alone.data("n1"), stopped);
    }

    private static String key(int i) {
        return "key " + i + "x".repeat(100);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }

    private static void useData(Path original) throws IOException {
        copy(original, alone.data("n1"));
    }

    @AfterEach
    void stop() throws IOException {
        alone.close();
        Files.move(alone.data("n1"), folder.resolve("old" + System.nanoTime()));
    }

    private Path find(String name) throws IOException {
        try (Stream<Path> files = Files.walk(alone.data("n1"))) {
            return files.filter(file -> String.valueOf(file.getFileName()).startsWith(name))
                    .min(Comparator.comparingInt(file -> file.toString().length()))
                    .orElseThrow();
        }
    }

    private void refuses(String... text) {
        assertThatThrownBy(() -> alone.start("n1"))
                .hasCauseInstanceOf(ClusterException.class)
                .cause()
                .hasMessageContainingAll(text)
                .hasMessageContaining("restore a backup");
    }

    private void startsWithAllLocks() {
        alone.start("n1");
        NodeClient other = new NodeClient(alone.node("n1"));
        for (int i : new int[] {0, LOCKS / 2, LOCKS - 1}) {
            assertThat(other.acquire(key(i), Duration.ZERO, LONG))
                    .isNotInstanceOf(Effect.Granted.class);
        }
    }

    private static int contentEnd(byte[] log) {
        int end = log.length;
        while (log[end - 1] == 0) {
            end--;
        }
        return end;
    }

    @Test
    void a_node_does_not_start_without_the_end_of_its_log() throws IOException {
        useData(killed);
        Path log = find("log_inprogress");
        byte[] written = Files.readAllBytes(log);
        int end = contentEnd(written);
        for (int length : new int[] {end - 1, end - 200, end - 1000, 8, 0}) {
            Files.write(log, Arrays.copyOf(written, length));
            refuses("the log is damaged");
        }
        Files.delete(log);
        refuses("no log and no snapshot");
        Files.write(log, Arrays.copyOf(written, end + 200)); // with the preallocated zeros
        startsWithAllLocks();
    }

    @Test
    void a_node_that_was_stopped_does_not_start_without_the_end_of_its_log() throws IOException {
        useData(stopped);
        Path log = find("log_inprogress");
        byte[] written = Files.readAllBytes(log);
        Files.write(log, Arrays.copyOf(written, contentEnd(written) - 1));
        refuses("the log is damaged", "current");
    }

    @Test
    void a_node_starts_after_a_power_failure_has_torn_its_last_write() throws IOException {
        useData(killed);
        Path log = find("log_inprogress");
        byte[] written = Files.readAllBytes(log);
        int end = contentEnd(written);
        byte[] batch = Arrays.copyOfRange(written, end - 5000, end);
        Arrays.fill(batch, 1000, 3000, (byte) 0); // only the first and the last page were written
        Files.write(log, Arrays.copyOf(written, end));
        Files.write(log, batch, StandardOpenOption.APPEND);
        Files.write(log, new byte[4096], StandardOpenOption.APPEND);
        startsWithAllLocks();
    }

    @Test
    void a_node_does_not_start_with_another_term_or_vote() throws IOException {
        useData(killed);
        Path vote = find("raft-meta");
        String written = Files.readString(vote);
        for (String other :
                List.of(
                        "",
                        written.replaceFirst("term=\\d+", "term=0"),
                        written.replaceFirst("term=\\d+", "term=99"),
                        written.replaceFirst("votedFor=.+", "votedFor=n2"))) {
            Files.writeString(vote, other);
            refuses(vote + " is damaged");
        }
    }

    @Test
    void a_node_does_not_start_with_changed_members_or_hard_state() throws IOException {
        useData(killed);
        for (String name : List.of("raft-meta.conf", "hard-state")) {
            Path file = find(name);
            byte[] written = Files.readAllBytes(file);
            byte[] changed = "nonsense".getBytes(StandardCharsets.US_ASCII);
            for (byte[] other : new byte[][] {new byte[0], {1}, changed}) {
                Files.write(file, other);
                refuses(file + " is damaged");
            }
            Files.delete(file);
            refuses(file + " is damaged: it is missing");
            Files.write(file, written);
        }
    }
}
