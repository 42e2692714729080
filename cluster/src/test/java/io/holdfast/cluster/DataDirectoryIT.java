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

    /** As a node leaves it that has served. */
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
    void is_made_for_its_owner_alone() throws IOException {
        try (DataDirectory directory = open()) {
            assertThat(directory.raftDirectory()).isDirectory();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data())))
                    .isEqualTo("rwx------");
        }
    }

    @Test
    void keeps_its_id_for_good() throws IOException {
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
    void may_be_an_empty_folder_or_a_fresh_file_system() throws IOException {
        Files.createDirectories(data().resolve("lost+found"));
        try (DataDirectory directory = open()) {
            assertThat(directory.raftDirectory()).isDirectory();
        }
    }

    @Test
    void goes_on_where_its_first_start_failed() throws IOException {
        open().close();
        Files.delete(file());
        open().close();
        open().close();
        assertThat(file()).content().contains("state=new");
    }

    @Test
    void remembers_the_nodes_of_the_last_start() throws IOException {
        open().close();
        var moved = NodeAddress.parseList("n1=a:1,n2=x:2,n3=x:3");
        DataDirectory.open(data(), "holdfast", "n1", moved).close();
        var again = NodeAddress.parseList("n1=x:1,n2=x:2");
        DataDirectory.open(data(), "holdfast", "n1", again).close();
        assertThat(file()).content().contains("members=n1\\=x\\:1,n2\\=x\\:2");
    }

    @Test
    void of_a_server_that_stands_alone_is_opened_again() throws IOException {
        DataDirectory.open(data(), "holdfast", "standalone", ALONE).close();
        DataDirectory.open(data(), "holdfast", "standalone", ALONE).close();
        assertThat(file()).exists();
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
        void to_another_node() throws IOException {
            open().close();
            assertThatThrownBy(() -> DataDirectory.open(data(), "holdfast", "n2", MEMBERS))
                    .hasMessageContaining("is that of the node n1, not of n2");
        }

        @Test
        void to_a_cluster_of_another_name() throws IOException {
            open().close();
            assertThatThrownBy(() -> DataDirectory.open(data(), "other", "n1", MEMBERS))
                    .hasMessageContaining("of the cluster holdfast, not of other");
        }

        @Test
        void to_a_cluster_that_shares_no_node() throws IOException {
            open().close();
            var others = NodeAddress.parseList("n1=x:1,n2=x:2,n3=x:3");
            assertThatThrownBy(() -> DataDirectory.open(data(), "holdfast", "n1", others))
                    .hasMessageContainingAll(
                            "another cluster", "n1=a:1,n2=b:2,n3=c:3", "If all of them have moved");
        }

        @Test
        void to_a_cluster_if_it_was_alone() throws IOException {
            DataDirectory.open(
                            data(),
                            "holdfast",
                            "n1",
                            List.of(new NodeAddress("n1", "127.0.0.1", 0)))
                    .close();
            refuses("stands alone", "holdfast cluster backup");
        }

        @Test
        void while_it_is_in_use() throws IOException {
            try (DataDirectory _ = open()) {
                refuses("is in use by another process");
            }
            open().close();
        }

        @Test
        void if_it_is_not_ours() throws IOException {
            Files.createDirectories(data());
            Files.createFile(data().resolve("thesis.txt"));
            refuses("is not empty and no data directory of Holdfast", "thesis.txt");
            assertThat(data()).isDirectoryContaining("glob:**thesis.txt");
            assertThat(data().resolve("lock")).doesNotExist();
        }

        @Test
        void if_its_log_is_gone() throws IOException {
            use();
            Files.delete(data().resolve("raft/group/current/log_inprogress_0"));
            refuses("has lost what the node had promised", "cluster replace");
        }

        @Test
        void if_its_vote_is_gone() throws IOException {
            use();
            Files.delete(data().resolve("raft/group/current/raft-meta"));
            refuses("has lost what the node had promised");
        }

        @Test
        void if_all_but_its_name_is_gone() throws IOException {
            use();
            Files.delete(data().resolve("raft/group/current/raft-meta"));
            Files.delete(data().resolve("raft/group/current/log_inprogress_0"));
            Files.delete(data().resolve("raft/group/current"));
            Files.delete(data().resolve("raft/group"));
            Files.delete(data().resolve("raft"));
            refuses("has lost what the node had promised");
        }

        @Test
        void if_its_name_is_gone_but_not_the_rest() throws IOException {
            use();
            Files.delete(file());
            refuses("no holdfast.properties");
        }

        @Test
        void if_it_cannot_be_a_folder() throws IOException {
            Files.createFile(data());
            refuses("cannot use the data directory", "a file of that name exists already");
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                value = {
                    "format=1 | format=2 | was written by a newer Holdfast (format 2",
                    "format=1 | format=x | is damaged",
                    "node=n1 | # | is damaged (it has no node)",
                    "state=new | state=odd | is damaged",
                    "data-id= | data-id=z | is damaged",
                    "members= | members=, | is damaged"
                })
        void if_its_file_does_not_make_sense(String old, String now, String text)
                throws IOException {
            open().close();
            Files.writeString(file(), Files.readString(file()).replace(old, now));
            refuses(text);
        }

        @Test
        void if_its_file_is_something_else() throws IOException {
            open().close();
            Files.write(file(), new byte[] {(byte) 0xff, 0, (byte) 0xfe});
            refuses("is damaged");
            Files.write(file(), new byte[100_000]);
            refuses("is damaged (it is too long)");
        }
    }
}
