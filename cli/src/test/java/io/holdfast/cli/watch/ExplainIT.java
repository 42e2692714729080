package io.holdfast.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.cli.serve.RunningServer;
import io.holdfast.cli.serve.StandardStreams;
import io.holdfast.console.json.JsonValue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

@DisplayName("A server with a deadlock")
class ExplainIT {
    private RunningServer server;
    private final List<Socket> sockets = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        server =
                RunningServer.startServe(
                        "--listen=dflockd://127.0.0.1:0", "--listen=http://127.0.0.1:0");
        Socket one = open();
        Socket two = open();
        assertThat(request(one, "l\na\n9 60\n")).startsWith("ok ");
        assertThat(request(two, "l\nb\n9 60\n")).startsWith("ok ");
        send(one, "l\nb\n600\n");
        awaitWaiting(1);
        send(two, "l\na\n600\n");
        awaitWaiting(2);
        send(open(), "l\na\n600\n");
        awaitWaiting(3);
    }

    @AfterEach
    void stop() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        server.close();
    }

    private Socket open() throws IOException {
        Socket socket = new Socket(server.address().getAddress(), server.address().getPort());
        sockets.add(socket);
        return socket;
    }

    private static void send(Socket socket, String request) throws IOException {
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    }

    private static String request(Socket socket, String request) throws IOException {
        send(socket, request);
        return new BufferedReader(
                        new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
                .readLine();
    }

    private void awaitWaiting(int count) {
        try (HttpReader reader =
                new HttpReader(URI.create(server.url()), Optional.empty(), Optional.empty())) {
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> reader.get("/v1/waits", Map.of()).all("waits").size() == count);
        }
    }

    private List<String> run(String command, int status, String... args) {
        try (StandardStreams streams = new StandardStreams()) {
            Map<String, String> environment = Map.of("HOLDFAST_HTTP", server.url());
            assertThat(InspectionCommands.all(environment).get(command).get().execute(args))
                    .as("%s", streams.err())
                    .isEqualTo(status);
            return streams.out().lines().toList();
        }
    }

    @Test
    void a_deadlock_is_explained_by_either_key() {
        List<String> lines = run("explain", 0, "a");
        assertThat(lines.getFirst())
                .startsWith("lock a is stuck in a deadlock: #")
                .contains("waits for lock b, which #", "waits for lock a, which #");
        assertThat(lines)
                .contains("lock a: held by 1, waiting: 2", "deadlock:")
                .anySatisfy(
                        line ->
                                assertThat(line)
                                        .startsWith("  held by #")
                                        .contains("(dflockd), write, for ", ", fence ", "lease"))
                .anySatisfy(line -> assertThat(line).startsWith("  1. #"))
                .anySatisfy(line -> assertThat(line).startsWith("  2. #"))
                .contains("       also waits for lock b", "       also holds lock b")
                .anySatisfy(line -> assertThat(line).contains("  acquired   #"));
        assertThat(run("explain", 0, "b").getFirst()).startsWith("lock b is stuck in a deadlock");
        assertThat(run("explain", 1, "c"))
                .containsExactly("c is free: it has no holders and no waiters.");
        assertThat(run("explain", 1, "")).hasSize(1);
    }

    @Test
    void a_deadlock_is_explained_as_json() {
        JsonValue.ObjectValue json =
                (JsonValue.ObjectValue)
                        JsonValue.parse(run("explain", 0, "a", "--json").getFirst());
        assertThat(json.list("cycles")).isNotNull();
        assertThat(json.all("connections")).hasSize(3);
        assertThat(json.all("resources").getFirst().number("waiters_total")).isEqualTo(2);
    }

    @Test
    void a_deadlock_is_shown_by_top() {
        assertThat(run("top", 0, "--once"))
                .contains("keys 1-2 of 2, most waiters first")
                .anySatisfy(line -> assertThat(line).matches("a +lock +1 +2 +#.* \\(dflockd\\) .*"))
                .anySatisfy(
                        line -> assertThat(line).matches("b +lock +1 +1 +#.* \\(dflockd\\) .*"));
        assertThat(run("top", 0, "--view", "connections").get(2))
                .startsWith("connections 1-3 of 3");
        assertThat(run("top", 0, "--view", "waits").get(3)).startsWith("DEADLOCK: #");
    }
}
