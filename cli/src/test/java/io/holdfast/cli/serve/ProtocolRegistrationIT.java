package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.cli.serve.toy.ToyProtocol;
import io.holdfast.driver.config.ConfigException;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.ServerConfig;
import io.holdfast.server.ServerProtocols;
import io.holdfast.server.listener.ListenEndpoint;
import io.holdfast.server.listener.StartException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Registers a protocol that only tests have, as {@link ServerProtocols} registers the others. */
@DisplayName("A registered protocol")
class ProtocolRegistrationIT {
    private static final ListenSchemes SCHEMES =
            ListenSchemes.of(
                    Stream.concat(ServerProtocols.ALL.stream(), Stream.of(new ToyProtocol()))
                            .toList());

    private HoldfastServer server;

    private int start(String... urls) throws StartException {
        List<ListenEndpoint> listeners =
                Stream.of(urls).map(url -> ListenUrl.parse(url, SCHEMES)).toList();
        server = HoldfastServer.start(ServerConfig.builder().listeners(listeners).build());
        return server.addresses().getFirst().getPort();
    }

    @AfterEach
    void close() {
        if (server != null) {
            server.close();
        }
    }

    @Test
    void is_served_at_its_scheme_with_its_options_and_shares_the_keys_of_its_namespace()
            throws Exception {
        int port =
                start(
                        "toy://127.0.0.1:0?end=!",
                        "toy://127.0.0.1:0?namespace=other",
                        "lockd://127.0.0.1:0");
        int other = server.addresses().get(1).getPort();
        int lockd = server.addresses().get(2).getPort();
        try (LockdSocket first = new LockdSocket(port);
                LockdSocket second = new LockdSocket(port);
                LockdSocket elsewhere = new LockdSocket(other);
                LockdSocket lockdClient = new LockdSocket(lockd)) {
            assertThat(first.request("deploy")).isEqualTo("yours!");
            assertThat(second.request("deploy")).isEqualTo("not yours!");
            assertThat(elsewhere.request("deploy")).isEqualTo("yours");
            assertThat(lockdClient.request("g deploy")).startsWith("0 ");
        }
    }

    @Test
    void is_served_on_a_unix_socket_whose_file_is_removed_at_the_end(@TempDir Path directory)
            throws Exception {
        Path path = directory.resolve("toy");
        start("toy://127.0.0.1:0", "toy+unix://" + path + "?mode=0600");
        try (LockdSocket client = new LockdSocket(UnixDomainSocketAddress.of(path))) {
            assertThat(client.request("deploy")).isEqualTo("yours");
        }
        server.close();
        assertThat(path).doesNotExist();
        assertThat(names(directory)).isEmpty();
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(Path::toString).toList();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "toy://h:1?end=abc,has end=abc: one character",
        "toy://h:1?allow-dump=true,has an unknown setting: allow-dump",
        "toy+unix://,'needs a path, as in toy+unix:///run/toy'",
        "toy+ws://h:1,'socketlock://, toy://, toys://, toy+unix://, http:// or https://'"
    })
    void refuses_an_invalid_url_with_a_reason(String url, String reason) {
        assertThatThrownBy(() -> ListenUrl.parse(url, SCHEMES))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("--listen " + url + " ")
                .hasMessageContaining(reason);
    }

    @Test
    void is_in_the_help_and_has_its_default_port() {
        assertThat(SCHEMES.help())
                .contains("socketlock://PATH, toy://HOST:PORT, toy+unix://PATH or http://")
                .contains("lockd+wss://, toys:// or https://");
        assertThat(ListenUrl.parse("toys://h", SCHEMES)).hasToString("h:7777");
    }

    @Test
    void is_unknown_without_its_registration() {
        assertThatThrownBy(() -> ListenUrl.parse("toy://h:1"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("must begin with dflockd://");
    }
}
