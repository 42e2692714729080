package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.driver.frontend.FrontEnd;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
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

    @TempDir private Path folder;
    private final List<HoldfastServer> servers = new ArrayList<>();
    private int port;

    @BeforeEach
    void choosePort() throws IOException {
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
    }

    @AfterEach
    void close() {
        servers.forEach(HoldfastServer::close);
    }

    private Path stateDir() {
        return folder.resolve("state");
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
                                .listeners(new ListenEndpoint("127.0.0.1", at, false))
                                .build(),
                        others,
                        restart);
        servers.add(server);
        return server;
    }

    /** Starts with something that happens before the address is taken. */
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

    /** A front end that does something when it is closed. */
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

    /** The graces of one more server at the same address. */
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

    /** As an earlier run leaves it that ends without having the time to. */
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
    void has_a_grace_on_disk_when_it_promises_it_and_rewrites_it_only_for_a_longer_one()
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
    void leaves_none_after_a_clean_stop() throws Exception {
        HoldfastServer server = start();
        try (TestClient holder = tagged(server, "30", "30")) {
            assertThat(holder.ask("1 l", "door", "0")).startsWith("1 ok ");
            assertThat(holder.ask("2 bye", "_", "_")).isEqualTo("2 ok");
        }
        assertThat(runFile()).exists();
        server.drain();
        assertThat(stateDir()).isEmptyDirectory();
    }

    @Test
    void leaves_its_own_when_a_session_with_a_grace_still_holds_something() throws Exception {
        HoldfastServer server = start();
        try (TestClient holder = tagged(server, "30", "30")) {
            assertThat(holder.ask("1 l", "door", "0")).startsWith("1 ok ");
        } // the session lives on without its connection
        server.close();
        assertThat(runFile()).content().contains("\nsession_grace_s=30\n");
    }

    @Test
    void leaves_that_of_another_run_alone() throws Exception {
        HoldfastServer server = start();
        try (TestClient _ = tagged(server, "30", "30")) {
            leave(40);
        }
        server.close();
        assertThat(runFile()).content().contains("\nsession_grace_s=40\n");
    }

    @Test
    void leaves_its_own_when_a_hold_with_a_grace_is_granted_while_it_closes() throws Exception {
        AtomicReference<Runnable> atClose = new AtomicReference<>(() -> {});
        HoldfastServer server =
                start(
                        port,
                        new RestartQuarantineConfig(stateDir(), true, HOUR),
                        List.of(_ -> new ClosingFront(() -> atClose.get().run())));
        try (TestClient holder = TestClient.connect(server.addresses().getFirst());
                TestClient waiter = tagged(server, "30", "30")) {
            String token = holder.ask("l", "door", "0").split(" ", -1)[1];
            waiter.sendRaw("1 l\ndoor\n60\n2 stats\n_\n_\n");
            assertThat(waiter.line()).startsWith("2 ");
            atClose.set(
                    () -> {
                        assertThat(holder.ask("r", "door", token)).isEqualTo("ok");
                        assertThat(waiter.line()).startsWith("1 ok ");
                    });
            server.close();
        }
        assertThat(runFile()).content().contains("\nsession_grace_s=30\n");
    }

    @Test
    void writes_its_own_where_it_found_one_that_says_the_same() throws Exception {
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
    void leaves_one_alone_that_it_has_neither_found_nor_written() throws Exception {
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
    void leaves_that_of_a_running_server_alone_when_it_cannot_start() throws Exception {
        HoldfastServer running = start();
        List<TestClient> clients = new ArrayList<>();
        assertThatThrownBy(() -> startAfter(() -> clients.add(tagged(running, "30", "30"))))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("cannot listen on");
        assertThat(runFile()).content().contains("\nsession_grace_s=30\n");
        clients.forEach(TestClient::close);
    }

    @Test
    void knows_what_the_run_before_has_promised_until_its_address_was_taken() throws Exception {
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
            assertThat(client.ask("l", "door", "0")).isEqualTo("timeout");
        }
        server.close();
        assertThat(runFile()).content().contains("\nsession_grace_s=40\n");
    }

    @Test
    void forgets_a_damaged_one_when_the_longest_grace_is_over() throws Exception {
        leave("damaged");
        HoldfastServer server =
                start(port, new RestartQuarantineConfig(stateDir(), true, Duration.ofSeconds(1)));
        try (TestClient waiter = TestClient.connect(server.addresses().getFirst())) {
            assertThat(waiter.ask("l", "door", "60")).startsWith("ok ");
            TestServer.soon().until(() -> filesIn(stateDir()).isEmpty());
        }
    }

    @Test
    void grants_nothing_while_clients_of_a_run_that_did_not_end_cleanly_may_hold_it()
            throws Exception {
        leave(40);
        HoldfastServer server = start();
        try (TestClient waiter = tagged(server, "5", "5");
                TestClient other = TestClient.connect(server.addresses().getFirst())) {
            waiter.sendRaw("1 l\ndoor\n60\n2 sl\nslots\n0 3\n");
            assertThat(waiter.line()).isEqualTo("2 timeout");
            assertThat(other.ask("l", "door", "0")).isEqualTo("timeout");
            assertThat(other.ask("e", "gate", "")).isEqualTo("queued");
            assertThat(other.ask("stats", "_", ""))
                    .contains("\"key\":\"door\",\"owner_conn_id\":0,", "\"waiters\":1");
            assertThat(other.ask("kset", "value", "1")).isEqualTo("ok");
        }
        server.drain();
        assertThat(runFile()).content().contains("\nsession_grace_s=40\n"); // it was not over
    }

    @Test
    void grants_what_waited_when_that_is_over_and_forgets_the_earlier_run() throws Exception {
        leave(1);
        HoldfastServer server = start();
        try (TestClient waiter = TestClient.connect(server.addresses().getFirst())) {
            assertThat(waiter.ask("l", "door", "60")).startsWith("ok ");
            TestServer.soon().until(() -> filesIn(stateDir()).isEmpty());
        }
    }

    @Test
    void keeps_what_it_has_promised_itself_meanwhile() throws Exception {
        leave(1);
        HoldfastServer server = start();
        try (TestClient _ = tagged(server, "9", "9");
                TestClient waiter = TestClient.connect(server.addresses().getFirst())) {
            assertThat(waiter.ask("l", "door", "60")).startsWith("ok ");
            assertThat(runFile()).content().contains("\nsession_grace_s=9\n");
        }
    }

    @Test
    void assumes_the_longest_grace_where_the_file_is_damaged() throws Exception {
        for (String damaged : List.of("", "holdfast-run 1\n", content("127.0.0.1:1", 1))) {
            leave(damaged);
            HoldfastServer server = start();
            try (TestClient client = TestClient.connect(server.addresses().getFirst())) {
                assertThat(client.ask("l", "door", "0")).isEqualTo("timeout");
            }
            server.close();
        }
    }

    @Test
    void waits_no_longer_than_it_may() throws Exception {
        leave(1_000_000);
        HoldfastServer server =
                start(port, new RestartQuarantineConfig(stateDir(), true, Duration.ofSeconds(1)));
        try (TestClient waiter = TestClient.connect(server.addresses().getFirst())) {
            assertThat(waiter.ask("l", "door", "0")).isEqualTo("timeout");
            assertThat(waiter.ask("l", "door", "60")).startsWith("ok ");
        }
    }

    @Test
    void writes_nothing_for_a_port_that_is_another_one_each_time() throws Exception {
        HoldfastServer server = start(0, new RestartQuarantineConfig(stateDir(), true, HOUR));
        try (TestClient _ = tagged(server, "30", "30")) {
            assertThat(stateDir()).doesNotExist();
        }
    }

    @Test
    void shares_its_folder_with_those_at_other_addresses() throws Exception {
        leave(40);
        Path other = stateDir().resolve("127.0.0.1-1.run");
        Files.move(runFile(), other);
        HoldfastServer server = start();
        try (TestClient client = tagged(server, "30", "30")) {
            assertThat(client.ask("1 l", "door", "0")).startsWith("1 ok ");
            assertThat(client.ask("2 bye", "_", "_")).isEqualTo("2 ok");
        }
        server.close();
        assertThat(filesIn(stateDir())).containsExactly(other);
    }

    @Test
    void promises_no_longer_grace_than_it_can_write() throws Exception {
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
    void does_not_start_without_the_folder_that_it_was_given_and_does_without_the_usual_one()
            throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "");
        Path below = file.resolve("state");
        assertThatThrownBy(() -> start(port, new RestartQuarantineConfig(below, true, HOUR)))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("cannot use the state directory " + below);
        for (Path unusable : Arrays.asList(below, null)) {
            HoldfastServer server = start(port, new RestartQuarantineConfig(unusable, false, HOUR));
            try (TestClient client = tagged(server, "30", "30")) {
                assertThat(client.ask("1 l", "door", "0")).startsWith("1 ok ");
            }
            server.close();
        }
    }
}
