package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.lockd.LockdClient;
import io.holdfast.lockd.LockdConnectionException;
import io.holdfast.lockd.LockdDisabledException;
import io.holdfast.lockd.LockdRefusedException;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.listener.StartException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

@DisplayName("The lockd client and the server")
class LockdClientIT {
    /** So long that a test which waits for it fails by its own timeout. */
    private static final Duration NEVER = Duration.ofHours(1);

    private final List<AutoCloseable> open = new ArrayList<>();

    @TempDir private Path folder;

    private HoldfastServer server;
    private Path socket;

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
        server.close();
    }

    private void start(String... more) throws GoFlags.FlagException, StartException {
        socket = folder.resolve("lockd.sock");
        List<String> args = new ArrayList<>(List.of("--tcp", "0", "--unix", socket.toString()));
        args.addAll(List.of(more));
        server = HoldfastServer.start(LockdCommand.config(args.toArray(String[]::new)));
    }

    private LockdClient tcp() {
        return keep(
                LockdClient.builder().readTimeout(NEVER).connect(server.addresses().getFirst()));
    }

    private LockdClient unix() {
        return keep(LockdClient.builder().readTimeout(NEVER).connectUnix(socket));
    }

    private LockdClient keep(LockdClient client) {
        open.add(client);
        return client;
    }

    @Test
    void client_and_server_agree_on_every_operation() throws Exception {
        start("--allow-dump", "--enable-registry");
        LockdClient one = tcp();
        LockdClient two = unix();
        assertThat(one.get("build  server").text()).isEqualTo("Lock Get Success: build server");
        assertThat(two.tryGet("build server")).isFalse();
        assertThatThrownBy(() -> two.release("build server"))
                .isInstanceOf(LockdRefusedException.class);
        assertThat(two.inspect("build server").number()).isEqualTo(1);
        assertThat(one.getShared("cache").number()).isEqualTo(1);
        assertThat(two.getShared("cache").number()).isEqualTo(2);
        assertThat(two.inspectShared("cache").number()).isEqualTo(2);
        one.setName("the builder");
        String first = one.getName().connection();
        String second = two.getName().connection();
        assertThat(second).startsWith("unix:");
        assertThat(two.dump()).isEqualTo(Map.of("build server", "the builder"));
        assertThat(two.dump(" build server ")).contains("the builder");
        assertThat(two.dump("free")).isEmpty();
        assertThat(two.dumpShared()).isEqualTo(Map.of("cache", List.of("the builder", second)));
        assertThat(two.dumpShared("free")).isEmpty();
        assertThat(two.listClients()).isEqualTo(Map.of("the builder", first));
        assertThat(two.listClients("nobody")).isEmpty();
        assertThat(two.getStats())
                .containsEntry("locks", 1L)
                .containsEntry("shared_locks", 1L)
                .containsEntry("connections", 2L);
        one.release("build server");
        assertThat(two.tryGet("build server")).isTrue();
    }

    @Test
    void client_and_server_agree_that_features_are_off() throws Exception {
        start();
        LockdClient client = tcp();
        assertThatThrownBy(client::dump).isInstanceOf(LockdDisabledException.class);
        assertThatThrownBy(() -> client.setName("x")).isInstanceOf(LockdDisabledException.class);
        assertThatThrownBy(client::listClients).isInstanceOf(LockdDisabledException.class);
        assertThat(client.tryGet("still served")).isTrue();
    }

    @Test
    void a_closed_client_releases_its_locks() throws Exception {
        start();
        LockdClient leaving = tcp();
        LockdClient staying = unix();
        leaving.get("left");
        leaving.close();
        await().until(() -> staying.tryGet("left"));
        assertThat(staying.getStats()).containsEntry("orphans", 1L);
    }

    @Test
    void a_stopped_server_ends_every_operation() throws Exception {
        start();
        LockdClient client = tcp();
        client.get("a");
        server.close();
        assertThatThrownBy(() -> client.inspect("a")).isInstanceOf(LockdConnectionException.class);
    }

    @Test
    void keys_that_are_not_text_stay_distinct() throws Exception {
        start("--allow-dump");
        LockdClient client = tcp();
        client.get("\udcff");
        assertThat(unix().tryGet("\udcfe")).isTrue();
        assertThat(client.dump()).containsOnlyKeys("\udcff", "\udcfe");
    }

    @Test
    void very_many_locks_can_be_listed() throws Exception {
        start("--allow-dump");
        LockdClient client = tcp();
        for (int i = 0; i < 20_000; i++) {
            client.get("lock-" + i);
        }
        assertThat(client.dump()).hasSize(20_000);
    }
}
