package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.UnixOperatingSystemMXBean;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

@DisplayName("5,000 connections at once")
class ManyConnectionsIT {
    private static final int MANY = 5000;

    @ParameterizedTest
    @MethodSource("io.holdfast.server.TestServer#transports")
    void five_thousand_connections_are_served_and_leave_nothing_behind(IoTransport ioTransport) {
        assumeTrue(maxFiles() > 2 * MANY + 500, "too few file descriptors");
        try (TestServer server = TestServer.start(new TestConfig().transport(ioTransport))) {
            List<TestClient> clients = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                clients.add(server.connect());
            }
            for (int i = 0; i < MANY; i++) {
                clients.get(i).send("l", "own" + i, "0 60").send("sl", "shared", "0 5000 60");
            }
            List<String> tokens = new ArrayList<>();
            for (TestClient client : clients) {
                tokens.add(TestClient.token(client.line()));
                assertThat(client.line()).startsWith("ok ");
            }
            assertThat(tokens).doesNotHaveDuplicates();
            Stats full = server.stats();
            assertThat(full.connections()).isEqualTo(MANY + 1);
            assertThat(full.keys("locks")).hasSize(MANY).doesNotHaveDuplicates();
            assertThat(Stats.number(full.entries("semaphores").getFirst(), "holders"))
                    .isEqualTo(MANY);

            for (int i = 0; i < MANY; i++) {
                switch (i % 3) {
                    case 0 -> clients.get(i).close();
                    case 1 -> clients.get(i).reset();
                    default -> clients.get(i).halfClose();
                }
            }

            server.awaitConnections(0);
            Stats after = server.stats();
            assertThat(after.keys("locks")).isEmpty();
            assertThat(after.keys("semaphores")).isEmpty();
        }
    }

    private static long maxFiles() {
        return ManagementFactory.getOperatingSystemMXBean()
                        instanceof UnixOperatingSystemMXBean unix
                ? unix.getMaxFileDescriptorCount()
                : Long.MAX_VALUE;
    }
}
