package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.driver.frontend.FrontEnd;
import io.holdfast.server.dflockd.DflockdProtocol;
import io.holdfast.server.listener.StartException;
import io.holdfast.testsupport.FreePorts;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

@DisplayName("A server with run files")
@Execution(ExecutionMode.CONCURRENT)
class RestartIT {
    private static final Duration HOUR = Duration.ofHours(1);

    @TempDir private Path directory;
    private final List<HoldfastServer> servers = new ArrayList<>();
    private final int port = FreePorts.next();

    @AfterEach
    void close() {
        servers.forEach(HoldfastServer::close);
    }

    private Path stateDir() {
        return directory.resolve("state");
    }

    private Path runFile() {
        return stateDir().resolve("127.0.0.1-" + port + ".run");
    }

    private HoldfastServer start() throws StartException {
        return start(port, new RestartQuarantineConfig(stateDir(), true, HOUR));
    }

    private HoldfastServer start(int at, RestartQuarantineConfig restart) throws StartException {
        return start(at, restart, List.of());
    }

    private HoldfastServer start(
            int at, RestartQuarantineConfig restart, List<HoldfastServer.FrontEndStarter> others)
            throws StartException {
        HoldfastServer server =
                HoldfastServer.start(
                        new TestConfig()
                                .listeners(DflockdProtocol.endpoint("127.0.0.1", at, false))
                                .build(),
                        others,
                        restart);
        servers.add(server);
        return server;
    }

    /** Starts a server and runs a task before its address is bound. */
    private HoldfastServer startAfter(Runnable before) throws StartException {
        return start(
                port,
                new RestartQuarantineConfig(stateDir(), true, HOUR),
                List.of(
                        _ -> {
                            before.run();
                            return new ClosingFront(() -> {});
                        }));
    }

    /** A front end that runs a task when it is closed. */
    private record ClosingFront(Runnable atClose) implements FrontEnd {
        @Override
        public void open() {}

        @Override
        public void drain() {}

        @Override
        public boolean isDrained() {
            return true;
        }

        @Override
        public void close() {
            atClose.run();
        }
    }

    /** The graces of another server at the same address. */
    private RunFileGraces graces() {
        return new RunFileGraces(new RestartQuarantineConfig(stateDir(), true, HOUR), HOUR);
    }

    private Duration open(RunFileGraces graces) throws StartException {
        return graces.open(List.of(new InetSocketAddress("127.0.0.1", port)));
    }

    private static void grant(RunFileGraces graces, Duration grace) {
        assertThat(graces.grant(grace.toNanos()))
                .succeedsWithin(Duration.ofSeconds(60))
                .isEqualTo(grace.toNanos());
    }

    /** Writes a run file like that of a crashed run. */
    private void leave(String content) throws IOException {
        Files.createDirectories(stateDir());
        Files.writeString(runFile(), content);
    }

    private void leave(int graceSeconds) throws IOException {
        leave(content("127.0.0.1:" + port, graceSeconds));
    }

    private static String content(String address, int graceSeconds) {
        return "holdfast-run 1\naddress="
                + address
                + "\nsession_grace_s="
                + graceSeconds
                + "\nrun=before\n";
    }

    private static TestClient tagged(HoldfastServer server, String grace, String granted) {
        TestClient client = TestClient.connect(server.addresses().getFirst());
        client.sendRaw("hello\n_\n1 grace=" + grace + "\n");
        assertThat(client.line()).contains(" grace=" + granted + " ");
        return client;
    }

    private static List<Path> filesIn(Path where) throws IOException {
        try (Stream<Path> files = Files.list(where)) {
            return files.toList();
        }
    }

    @Test
    void a_grace_is_in_the_run_file_before_it_is_granted_and_rewritten_only_for_a_longer_one()
            throws Exception {
        HoldfastServer server = start();
        try (TestClient _ = tagged(server, "0", "0")) {
            assertThat(filesIn(stateDir())).isEmpty();
        }
        try (TestClient _ = tagged(server, "2500ms", "2500ms")) {
            assertThat(runFile())
                    .content()
                    .startsWith("holdfast-run 1\naddress=127.0.0.1:" + port)
                    .contains("\nsession_grace_s=3\n");
        }
        Files.setLastModifiedTime(runFile(), FileTime.fromMillis(0));
        try (TestClient _ = tagged(server, "3", "3")) {
            assertThat(Files.getLastModifiedTime(runFile()).toMillis()).isZero();
        }
        try (TestClient _ = tagged(server, "100", "60")) {
            assertThat(runFile()).content().contains("\nsession_grace_s=60\n");
        }
        assertThat(filesIn(stateDir())).containsExactly(runFile());
    }

    @Test
    void a_clean_stop_leaves_no_run_file() throws Exception {
        HoldfastServer server = start();
        try (TestClient holder = tagged(server, "30", "30")) {
            assertThat(holder.request("1 l", "door", "0")).startsWith("1 ok ");
            assertThat(holder.request("2 bye", "_", "_")).isEqualTo("2 ok");
        }
        assertThat(runFile()).exists();
        server.drain();
        assertThat(stateDir()).isEmptyDirectory();
    }

    @Test
    void the_run_file_stays_when_a_session_with_a_grace_still_has_a_hold() throws Exception {
        HoldfastServer server = start();
        try (TestClient holder = tagged(server, "30", "30")) {
            assertThat(holder.request("1 l", "door", "0")).startsWith("1 ok ");
        } // the session outlives its connection
        server.close();
        assertThat(runFile()).content().contains("\nsession_grace_s=30\n");
    }

    @Test
    void the_run_file_of_another_run_is_not_removed() throws Exception {
        HoldfastServer server = start();
        try (TestClient _ = tagged(server, "30", "30")) {
            leave(40);
        }
        server.close();
        assertThat(runFile()).content().contains("\nsession_grace_s=40\n");
    }

    @Test
    void the_run_file_stays_when_a_hold_with_a_grace_is_granted_during_close() throws Exception {
        AtomicReference<Runnable> atClose = new AtomicReference<>(() -> {});
        HoldfastServer server =
                start(
                        port,
                        new RestartQuarantineConfig(stateDir(), true, HOUR),
                        List.of(_ -> new ClosingFront(() -> atClose.get().run())));
        try (TestClient holder = TestClient.connect(server.addresses().getFirst());
                TestClient waiter = tagged(server, "30", "30")) {
            String token = holder.request("l", "door", "0").split(" ", -1)[1];
            waiter.sendRaw("1 l\ndoor\n60\n2 stats\n_\n_\n");
            assertThat(waiter.line()).startsWith("2 ");
            atClose.set(
                    () -> {
                        assertThat(holder.request("r", "door", token)).isEqualTo("ok");
                        assertThat(waiter.line()).startsWith("1 ok ");
                    });
            server.close();
        }
        assertThat(runFile()).content().contains("\nsession_grace_s=30\n");
    }

    @Test
    void a_run_file_of_an_earlier_run_with_the_same_grace_is_replaced() throws Exception {
        RunFileGraces first = graces();
        assertThat(open(first)).isZero();
        grant(first, Duration.ofSeconds(60));
        RunFileGraces second = graces();
        assertThat(open(second)).isEqualTo(Duration.ofSeconds(60));
        grant(second, Duration.ofSeconds(60));
        first.close(true);
        assertThat(runFile()).content().contains("\nsession_grace_s=60\n");
        second.endQuarantine();
        second.close(true);
        assertThat(stateDir()).isEmptyDirectory();
    }

    @Test
    void a_run_file_that_was_neither_read_nor_written_is_not_removed() throws Exception {
        RunFileGraces first = graces();
        RunFileGraces second = graces();
        assertThat(open(first)).isZero();
        assertThat(open(second)).isZero();
        grant(first, Duration.ofSeconds(60));
        second.close(true);
        assertThat(runFile()).content().contains("\nsession_grace_s=60\n");
        first.close(true);
        assertThat(stateDir()).isEmptyDirectory();
    }

    @Test
    void a_failed_start_keeps_the_run_file_of_a_running_server() throws Exception {
        HoldfastServer running = start();
        List<TestClient> clients = new ArrayList<>();
        assertThatThrownBy(() -> startAfter(() -> clients.add(tagged(running, "30", "30"))))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("cannot listen on");
        assertThat(runFile()).content().contains("\nsession_grace_s=30\n");
        clients.forEach(TestClient::close);
    }

    @Test
    void graces_granted_by_the_previous_run_until_the_address_was_bound_count() throws Exception {
        HoldfastServer server =
                startAfter(
                        () -> {
                            try {
                                leave(40);
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        });
        try (TestClient client = TestClient.connect(server.addresses().getFirst())) {
            assertThat(client.request("l", "door", "0")).isEqualTo("timeout");
        }
        server.close();
        assertThat(runFile()).content().contains("\nsession_grace_s=40\n");
    }

    @Test
    void a_damaged_run_file_is_removed_when_the_longest_grace_is_over() throws Exception {
        leave("damaged");
        HoldfastServer server =
                start(port, new RestartQuarantineConfig(stateDir(), true, Duration.ofSeconds(1)));
        try (TestClient waiter = TestClient.connect(server.addresses().getFirst())) {
            assertThat(waiter.request("l", "door", "60")).startsWith("ok ");
            TestServer.soon().until(() -> filesIn(stateDir()).isEmpty());
        }
    }

    @Test
    void nothing_is_granted_while_clients_of_a_crashed_run_may_hold_it() throws Exception {
        leave(40);
        HoldfastServer server = start();
        try (TestClient waiter = tagged(server, "5", "5");
                TestClient other = TestClient.connect(server.addresses().getFirst())) {
            waiter.sendRaw("1 l\ndoor\n60\n2 sl\nslots\n0 3\n");
            assertThat(waiter.line()).isEqualTo("2 timeout");
            assertThat(other.request("l", "door", "0")).isEqualTo("timeout");
            assertThat(other.request("e", "gate", "")).isEqualTo("queued");
            assertThat(other.request("stats", "_", ""))
                    .contains("\"key\":\"door\",\"owner_conn_id\":0,", "\"waiters\":1");
            assertThat(other.request("kset", "value", "1")).isEqualTo("ok");
        }
        server.drain();
        assertThat(runFile()).content().contains("\nsession_grace_s=40\n"); // not over yet
    }

    @Test
    void waiters_are_granted_when_the_quarantine_is_over() throws Exception {
        leave(1);
        HoldfastServer server = start();
        try (TestClient waiter = TestClient.connect(server.addresses().getFirst())) {
            assertThat(waiter.request("l", "door", "60")).startsWith("ok ");
            TestServer.soon().until(() -> filesIn(stateDir()).isEmpty());
        }
    }

    @Test
    void graces_granted_during_the_quarantine_stay_in_the_run_file() throws Exception {
        leave(1);
        HoldfastServer server = start();
        try (TestClient _ = tagged(server, "9", "9");
                TestClient waiter = TestClient.connect(server.addresses().getFirst())) {
            assertThat(waiter.request("l", "door", "60")).startsWith("ok ");
            assertThat(runFile()).content().contains("\nsession_grace_s=9\n");
        }
    }

    @Test
    void a_damaged_run_file_means_the_longest_grace() throws Exception {
        for (String damaged : List.of("", "holdfast-run 1\n", content("127.0.0.1:1", 1))) {
            leave(damaged);
            HoldfastServer server = start();
            try (TestClient client = TestClient.connect(server.addresses().getFirst())) {
                assertThat(client.request("l", "door", "0")).isEqualTo("timeout");
            }
            server.close();
        }
    }

    @Test
    void the_quarantine_is_no_longer_than_configured() throws Exception {
        leave(1_000_000);
        HoldfastServer server =
                start(port, new RestartQuarantineConfig(stateDir(), true, Duration.ofSeconds(1)));
        try (TestClient waiter = TestClient.connect(server.addresses().getFirst())) {
            assertThat(waiter.request("l", "door", "0")).isEqualTo("timeout");
            assertThat(waiter.request("l", "door", "60")).startsWith("ok ");
        }
    }

    @Test
    void no_run_file_is_written_for_an_ephemeral_port() throws Exception {
        HoldfastServer server = start(0, new RestartQuarantineConfig(stateDir(), true, HOUR));
        try (TestClient _ = tagged(server, "30", "30")) {
            assertThat(stateDir()).doesNotExist();
        }
    }

    @Test
    void servers_at_different_addresses_share_a_state_directory() throws Exception {
        leave(40);
        Path other = stateDir().resolve("127.0.0.1-1.run");
        Files.move(runFile(), other);
        HoldfastServer server = start();
        try (TestClient client = tagged(server, "30", "30")) {
            assertThat(client.request("1 l", "door", "0")).startsWith("1 ok ");
            assertThat(client.request("2 bye", "_", "_")).isEqualTo("2 ok");
        }
        server.close();
        assertThat(filesIn(stateDir())).containsExactly(other);
    }

    @Test
    void no_longer_grace_is_granted_than_can_be_written() throws Exception {
        HoldfastServer server = start();
        try (TestClient _ = tagged(server, "5", "5")) {
            Files.delete(runFile());
            Files.delete(stateDir());
            try (TestClient _ = tagged(server, "30", "5")) {
                Files.createDirectory(stateDir());
            }
            try (TestClient _ = tagged(server, "30", "30")) {
                assertThat(runFile()).content().contains("\nsession_grace_s=30\n");
            }
        }
    }

    @Test
    void an_unusable_configured_state_directory_stops_the_start_but_not_the_default_one()
            throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "");
        Path below = file.resolve("state");
        assertThatThrownBy(() -> start(port, new RestartQuarantineConfig(below, true, HOUR)))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("cannot use the state directory " + below);
        for (Path unusable : Arrays.asList(below, null)) {
            HoldfastServer server = start(port, new RestartQuarantineConfig(unusable, false, HOUR));
            try (TestClient client = tagged(server, "30", "30")) {
                assertThat(client.request("1 l", "door", "0")).startsWith("1 ok ");
            }
            server.close();
        }
    }
}
