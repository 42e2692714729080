package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testsupport.ProcessSignals;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

@DisplayName("A server process that was paused")
@Timeout(120)
class PauseIT {
    private static final int CLIENTS = 40;
    private static final Duration LEASE = Duration.ofSeconds(2);

    private final List<TestClient> clients = new ArrayList<>();

    @AfterEach
    void close() {
        clients.forEach(TestClient::close);
    }

    private TestClient connect(ServerProcess server) {
        TestClient client = TestClient.connect(server.address());
        clients.add(client);
        return client;
    }

    @Test
    void a_paused_server_process_accepts_renewals_that_were_sent_in_time() throws Exception {
        try (ServerProcess server =
                ServerProcess.start(
                        List.of(), List.of("-Xmx64m"), IoTransport.AUTO, Duration.ZERO)) {
            List<TestClient> holders = new ArrayList<>();
            for (int i = 0; i <= CLIENTS; i++) {
                holders.add(connect(server));
            }
            TestClient waiter = connect(server);
            List<String> tokens = stopWithLeases(server, holders, 0);
            try {
                for (int i = 0; i < CLIENTS; i++) {
                    holders.get(i).sendRaw("n\nkey" + i + "\n" + tokens.get(i) + " 30\n");
                }
                long sentNanos = System.nanoTime();
                TestServer.soon().until(() -> hasPassed(sentNanos, LEASE));
            } finally {
                ProcessSignals.send("CONT", server.pid());
            }
            for (int i = 0; i < CLIENTS; i++) {
                assertThat(holders.get(i).line()).as("renewal " + i).isEqualTo("ok 30");
            }
            waiter.sendRaw("l\nkey" + CLIENTS + "\n60\n");
            String token = TestClient.token(waiter.line()); // of a lease that was not renewed
            assertThat(token).isGreaterThan(tokens.getLast());
        }
    }

    /** Grants a lease to each client, and pauses the process before any of them ends. */
    private static List<String> stopWithLeases(
            ServerProcess server, List<TestClient> holders, int tries) throws Exception {
        assertThat(tries).as("a machine too slow for this test").isLessThan(20);
        long beganNanos = System.nanoTime();
        List<String> tokens = new ArrayList<>();
        for (int i = 0; i < holders.size(); i++) {
            tokens.add(holders.get(i).acquire("key" + i, (int) LEASE.toSeconds()));
        }
        ProcessSignals.send("STOP", server.pid());
        if (!hasPassed(beganNanos, LEASE.minusMillis(200))) {
            return tokens;
        }
        ProcessSignals.send("CONT", server.pid());
        for (int i = 0; i < holders.size(); i++) {
            String response = holders.get(i).request("r", "key" + i, tokens.get(i));
            assertThat(response).as("in time or not").isIn("ok", "error");
        }
        return stopWithLeases(server, holders, tries + 1);
    }

    private static boolean hasPassed(long sinceNanos, Duration duration) {
        return System.nanoTime() - sinceNanos > duration.toNanos();
    }
}
