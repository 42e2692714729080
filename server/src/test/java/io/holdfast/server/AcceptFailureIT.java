package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.File;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

@DisplayName("A server without free file descriptors")
@Timeout(120)
class AcceptFailureIT {
    private static final Duration TIMEOUT = Duration.ofMillis(1500);

    private final List<TestClient> clients = new ArrayList<>();
    private ServerProcess server;

    @AfterEach
    void close() {
        clients.forEach(TestClient::close);
        if (server != null) {
            server.close();
        }
    }

    @ParameterizedTest
    @MethodSource("io.holdfast.server.TestServer#transports")
    void the_server_pauses_without_free_descriptors_and_accepts_again_when_it_can(
            IoTransport ioTransport) throws Exception {
        assumeTrue(new File("/bin/sh").canExecute());
        server =
                ServerProcess.start(
                        List.of("/bin/sh", "-c", "ulimit -n 150 && exec \"$@\"", "sh"),
                        List.of("-Xmx64m"),
                        ioTransport,
                        Duration.ZERO);
        TestClient first = connect();
        loadClasses(first);
        TestClient starving;
        Duration before;
        do {
            assertThat(clients).hasSizeLessThan(150);
            before = server.cpu();
            starving = connect();
        } while (isAnswered(starving) || clients.size() < 60);
        // A loop without pauses would use all the processor time it can get.
        assertThat(server.cpu().minus(before)).isLessThan(TIMEOUT.dividedBy(3));
        first.assertServed();
        assertThat(clients).hasSizeGreaterThan(10);

        clients.subList(1, 8).forEach(TestClient::close);

        starving.socket().setSoTimeout(TestClient.DEADLINE_MILLIS);
        assertThat(starving.line()).isEqualTo("ok");
        connect().assertServed();
        first.assertServed();
    }

    /** Loads classes in advance: a JVM that cannot open files cannot load them. */
    private static void loadClasses(TestClient client) {
        assertThat(client.request("r", "k", client.acquire("k"))).isEqualTo("ok");
        TestServer.soon()
                .until(
                        () -> Stats.parse(client.request("stats", "", "")),
                        stats -> stats.keys("idle_locks").isEmpty());
    }

    private TestClient connect() {
        TestClient client = TestClient.connect(server.address());
        clients.add(client);
        return client;
    }

    private boolean isAnswered(TestClient client) throws SocketException {
        client.socket().setSoTimeout((int) TIMEOUT.toMillis());
        client.sendRaw("ping\n\n\n");
        try {
            return client.line().equals("ok");
        } catch (AssertionError e) {
            return false;
        }
    }
}
