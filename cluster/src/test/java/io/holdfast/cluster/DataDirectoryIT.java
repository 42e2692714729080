package io.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.UUID;

@DisplayName("A data directory")
class DataDirectoryIT {
    private static final List<NodeAddress> MEMBERS = NodeAddress.parseList("n1=a:1,n2=b:2,n3=c:3");
    private static final List<NodeAddress> ALONE =
            List.of(new NodeAddress("standalone", "127.0.0.1", 0));

    @TempDir Path folder;

    private Path data() {
        return folder.resolve("data");
    }

    private Path file() {
        return data().resolve("holdfast.properties");
    }

    private DataDirectory open() throws ClusterException {
        return DataDirectory.open(data(), "holdfast", "n1", MEMBERS);
    }

    /** Creates the directory as a node that has served leaves it. */
    private void use() throws IOException {
        try (DataDirectory directory = open()) {
            Path current = directory.raftDirectory().resolve("group").resolve("current");
            Files.createDirectories(current);
            Files.createFile(current.resolve("raft-meta"));
            Files.createFile(current.resolve("log_inprogress_0"));
            directory.markUsed();
        }
    }

    @Test
    void a_data_directory_is_created_with_access_for_its_owner_only() throws IOException {
        try (DataDirectory directory = open()) {
            assertThat(directory.raftDirectory()).isDirectory();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data())))
                    .isEqualTo("rwx------");
        }
    }

    @Test
    void a_data_directory_keeps_its_id() throws IOException {
        UUID id;
        try (DataDirectory directory = open()) {
            id = directory.dataId();
        }
        use();
        try (DataDirectory directory = open()) {
            assertThat(directory.dataId()).isEqualTo(id);
        }
    }

    @Test
    void an_empty_folder_or_a_new_file_system_can_become_a_data_directory() throws IOException {
        Files.createDirectories(data().resolve("lost+found"));
        try (DataDirectory directory = open()) {
            assertThat(directory.raftDirectory()).isDirectory();
        }
    }

    @Test
    void a_data_directory_can_be_opened_after_its_first_start_failed() throws IOException {
        open().close();
        Files.delete(file());
        open().close();
        open().close();
        assertThat(file()).content().contains("state=new");
    }

    @Test
    void a_data_directory_stores_the_members_of_the_last_start() throws IOException {
        open().close();
        var moved = NodeAddress.parseList("n1=a:1,n2=x:2,n3=x:3");
        DataDirectory.open(data(), "holdfast", "n1", moved).close();
        var again = NodeAddress.parseList("n1=x:1,n2=x:2");
        DataDirectory.open(data(), "holdfast", "n1", again).close();
        assertThat(file()).content().contains("members=n1\\=x\\:1,n2\\=x\\:2");
    }

    @Test
    void the_data_directory_of_a_standalone_server_can_be_reopened() throws IOException {
        DataDirectory.open(data(), "holdfast", "standalone", ALONE).close();
        DataDirectory.open(data(), "holdfast", "standalone", ALONE).close();
        assertThat(file()).exists();
    }

    /** Moves a file or folder within the data directory. */
    private void move(String from, String to) throws IOException {
        Files.move(data().resolve(from), data().resolve(to));
    }

    @Test
    void a_crash_at_any_step_of_a_recovery_leaves_the_old_or_the_recovered_state()
            throws IOException {
        use();
        try (DataDirectory directory = open()) {
            directory.recordCluster(new UUID(1, 2), List.of());
            Files.createDirectories(directory.beginRecovery().resolve("incomplete"));
        }
        open().close(); // nothing has been committed
        Path before;
        UUID id;
        try (DataDirectory directory = DataDirectory.openUsed(data(), "holdfast", "n1", MEMBERS)) {
            id = directory.dataId();
            Path current = directory.beginRecovery().resolve("current");
            Files.createDirectories(current);
            Files.createFile(current.resolve("raft-meta"));
            Files.createFile(current.resolve("log_inprogress_7"));
            before = data().relativize(directory.commitRecovery("r"));
        }
        for (int step = 0; step < 3; step++) {
            if (step > 0) { // as if the recovered files had not been moved yet
                move("raft", "raft-recovered");
            }
            if (step > 1) { // nor the previous ones
                move(before.toString(), "raft");
            }
            try (DataDirectory directory = open()) {
                assertThat(directory.isRestored()).isTrue();
                assertThat(directory.hasCluster()).isFalse();
                assertThat(directory.dataId()).isNotEqualTo(id);
                assertThat(directory.restoredDirectory().resolve("current/log_inprogress_7"))
                        .exists();
                assertThat(data().resolve(before).resolve("group/current/raft-meta")).exists();
            }
        }
    }

    @Test
    void a_directory_whose_state_has_diverged_can_be_used_after_its_recovery_alone()
            throws IOException {
        use();
        try (DataDirectory directory = open()) {
            directory.recordCluster(new UUID(1, 2), List.of());
            directory.recordDivergence("n1 has another state");
        }
        assertThatThrownBy(this::open).hasMessageContaining("n1 has another state");
        try (DataDirectory directory = DataDirectory.openUsed(data(), "holdfast", "n1", MEMBERS)) {
            assertThat(directory.divergence()).isEqualTo("n1 has another state");
            Path current = Files.createDirectories(directory.beginRecovery().resolve("current"));
            Files.createFile(current.resolve("raft-meta"));
            Files.createFile(current.resolve("log_inprogress_7"));
            directory.commitRecovery("r");
        }
        try (DataDirectory directory = open()) {
            assertThat(directory.isRestored()).isTrue();
            assertThat(directory.divergence()).isNull();
        }
    }

    @Nested
    @DisplayName("is refused")
    class Refused {
        private void refuses(String... text) {
            assertThatThrownBy(DataDirectoryIT.this::open)
                    .isInstanceOf(ClusterException.class)
                    .hasMessageContainingAll(text);
        }

        @Test
        void a_directory_of_another_node_is_refused() throws IOException {
            open().close();
            assertThatThrownBy(() -> DataDirectory.open(data(), "holdfast", "n2", MEMBERS))
                    .hasMessageContaining("belongs to the node n1, not to n2");
            DataDirectory.requireNode(data(), "n1");
            assertThatThrownBy(() -> DataDirectory.requireNode(data(), "n2"))
                    .hasMessageContaining("is the data directory of n1, not of n2");
        }

        @Test
        void a_directory_of_a_cluster_with_another_name_is_refused() throws IOException {
            open().close();
            assertThatThrownBy(() -> DataDirectory.open(data(), "other", "n1", MEMBERS))
                    .hasMessageContaining("of the cluster holdfast, not of other");
        }

        @Test
        void a_directory_without_a_cluster_takes_the_members_of_the_next_start()
                throws IOException {
            open().close();
            var others = NodeAddress.parseList("n1=x:1,n2=x:2,n3=x:3");
            DataDirectory.open(data(), "holdfast", "n1", others).close();
            assertThat(file()).content().contains("members=n1\\=x\\:1,n2\\=x\\:2,n3");
        }

        @Test
        void a_directory_is_refused_when_none_of_its_members_is_configured() throws IOException {
            try (DataDirectory directory = open()) {
                directory.recordCluster(UUID.randomUUID(), List.of());
            }
            var others = NodeAddress.parseList("n1=x:1,n2=x:2,n3=x:3");
            assertThatThrownBy(() -> DataDirectory.open(data(), "holdfast", "n1", others))
                    .hasMessageContainingAll(
                            "another cluster", "n1=a:1,n2=b:2,n3=c:3", "If all of them have moved");
        }

        @Test
        void a_directory_is_not_refused_when_another_member_is_configured_as_before()
                throws IOException {
            open().close();
            var moved = NodeAddress.parseList("n1=x:1,n2=b:2");
            DataDirectory.open(data(), "holdfast", "n1", moved).close();
            assertThat(file()).content().contains("members=n1\\=x\\:1,n2\\=b\\:2");
        }

        @Test
        void a_directory_is_not_refused_when_all_have_moved_while_the_node_ran()
                throws IOException {
            var moved = NodeAddress.parseList("n1=x:1,n2=x:2,n3=x:3");
            try (DataDirectory directory = open()) {
                directory.recordMembers(moved);
            }
            DataDirectory.open(data(), "holdfast", "n1", moved).close();
        }

        @Test
        void a_directory_of_the_only_node_is_not_refused_when_that_has_moved() throws IOException {
            var before = NodeAddress.parseList("n1=a:1");
            DataDirectory.open(data(), "holdfast", "n1", before).close();
            var moved = NodeAddress.parseList("n1=x:1");
            DataDirectory.open(data(), "holdfast", "n1", moved).close();
            assertThat(file()).content().contains("members=n1\\=x\\:1");
        }

        @Test
        void a_directory_of_a_standalone_server_is_refused_in_a_cluster() throws IOException {
            DataDirectory.open(
                            data(),
                            "holdfast",
                            "n1",
                            List.of(new NodeAddress("n1", "127.0.0.1", 0)))
                    .close();
            refuses("standalone server", "holdfast cluster backup");
        }

        @Test
        void a_directory_in_use_is_refused() throws IOException {
            try (DataDirectory _ = open()) {
                refuses("is in use by another process");
            }
            open().close();
        }

        @Test
        void a_folder_with_other_files_is_refused() throws IOException {
            Files.createDirectories(data());
            Files.createFile(data().resolve("thesis.txt"));
            refuses("is not empty and no data directory of Holdfast", "thesis.txt");
            assertThat(data()).isDirectoryContaining("glob:**thesis.txt");
            assertThat(data().resolve("lock")).doesNotExist();
        }

        @Test
        void a_directory_without_its_log_is_refused() throws IOException {
            use();
            Files.delete(data().resolve("raft/group/current/log_inprogress_0"));
            refuses("has lost the entries that the node had acknowledged", "cluster replace");
        }

        @Test
        void a_directory_without_its_vote_is_refused() throws IOException {
            use();
            Files.delete(data().resolve("raft/group/current/raft-meta"));
            refuses("has lost the entries that the node had acknowledged", "has no raft-meta");
        }

        @Test
        void a_directory_with_nothing_but_its_identity_is_refused() throws IOException {
            use();
            Files.delete(data().resolve("raft/group/current/raft-meta"));
            Files.delete(data().resolve("raft/group/current/log_inprogress_0"));
            Files.delete(data().resolve("raft/group/current"));
            Files.delete(data().resolve("raft/group"));
            Files.delete(data().resolve("raft"));
            refuses("has lost the entries that the node had acknowledged");
        }

        @Test
        void a_directory_without_its_identity_is_refused() throws IOException {
            use();
            Files.delete(file());
            refuses("no holdfast.properties");
        }

        @Test
        void a_file_in_place_of_the_directory_is_refused() throws IOException {
            Files.createFile(data());
            refuses("cannot use the data directory", "a file of that name exists already");
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                value = {
                    "format=3 | format=4 | was written by a newer Holdfast (format 4",
                    "format=3 | format=2 | was written by an earlier Holdfast (format 2",
                    "format=3 | format=x | is damaged (the value of format is not valid)",
                    "node=n1 | # | is damaged (it has no node)",
                    "state=new | state=odd | is damaged (the value of state is not valid)",
                    "data-id= | data-id=z | is damaged (the value of data-id is not valid)",
                    "members= | members=, | is damaged (the value of members is not valid)"
                })
        void a_directory_with_an_invalid_identity_is_refused(String old, String now, String text)
                throws IOException {
            open().close();
            Files.writeString(file(), Files.readString(file()).replace(old, now));
            refuses(text);
        }

        @Test
        void a_directory_of_a_cluster_with_an_unknown_version_is_refused() throws IOException {
            try (DataDirectory directory = open()) {
                directory.recordVersion(ClusterVersion.LATEST);
            }
            try (DataDirectory directory = open()) {
                assertThat(directory.version()).isEqualTo(ClusterVersion.LATEST);
                directory.recordVersion(ClusterVersion.LATEST + 1);
            }
            refuses("has the version 2, and this Holdfast knows the versions 1 to 1");
        }

        @Test
        void a_directory_with_an_oversized_identity_file_is_refused() throws IOException {
            open().close();
            Files.write(file(), new byte[] {(byte) 0xff, 0, (byte) 0xfe});
            refuses("is damaged (it is not UTF-8 text)");
            Files.write(file(), new byte[100_000]);
            refuses("is damaged (it is too long)");
        }
    }
}
