package io.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.client.internal.service.ServiceConfig;
import io.holdfast.client.internal.thread.DaemonThreads;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;

@DisplayName("A connection with a method per command")
class DflockdConnectionIT {
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final LinkedBlockingQueue<String> responses = new LinkedBlockingQueue<>();
    private final DaemonThreads threads = new DaemonThreads();
    private ServerSocket server;
    private DflockdConnection connection;

    @BeforeEach
    void connect() throws Exception {
        server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        threads.execute(new FutureTask<>(this::serve));
        connection = DflockdSocketConnection.open(config(Duration.ofSeconds(10)));
    }

    private ServiceConfig config(Duration readTimeout) {
        return new ServiceConfig(
                List.of(InetSocketAddress.createUnresolved("127.0.0.1", server.getLocalPort())),
                null,
                null,
                Duration.ofSeconds(5),
                readTimeout,
                Duration.ZERO,
                "test",
                2,
                true,
                threads);
    }

    private boolean serve() throws IOException, InterruptedException {
        try (var socket = server.accept();
                var in =
                        new BufferedReader(
                                new InputStreamReader(
                                        socket.getInputStream(), StandardCharsets.UTF_8))) {
            for (var line = in.readLine(); line != null; line = in.readLine()) {
                requests.add(line + "|" + in.readLine() + "|" + in.readLine());
                var response = responses.take();
                if (response.isEmpty()) {
                    return true;
                }
                socket.getOutputStream().write(response.getBytes(StandardCharsets.UTF_8));
            }
            return true;
        }
    }

    @AfterEach
    void close() throws Exception {
        connection.close();
        server.close();
    }

    private void willRespond(String... lines) {
        for (var line : lines) {
            responses.add(line + "\n");
        }
    }

    @Test
    void each_method_sends_its_command_as_specified() throws Exception {
        willRespond("ok tok 33", "timeout", "ok", "error", "ok 20", "error", "queued");
        assertThat(connection.lock("k", 0, 0)).contains(new DflockdConnection.Grant("tok", 33));
        assertThat(connection.lock("k", 1, 10)).isEmpty();
        assertThat(connection.release("k", "tok")).isTrue();
        assertThat(connection.release("k", "tok")).isFalse();
        assertThat(connection.renew("k", "tok", 20)).contains(20L);
        assertThat(connection.renew("k", "tok", 0)).isEmpty();
        assertThat(connection.enqueue("k", 0)).isEmpty();
        willRespond("ok tok 33", "acquired t2 5", "ok t3 5", "ok 4", "ok", "nil", "ok [\"a\"]");
        assertThat(connection.await("k", 2)).isPresent();
        assertThat(connection.semaphoreEnqueue("s", 3, 5)).isPresent();
        assertThat(connection.semaphoreLock("s", 0, 3, 5)).isPresent();
        assertThat(connection.incr("c", 4)).isEqualTo(4);
        connection.kset("v", "a 1", 0);
        assertThat(connection.kget("v")).isEmpty();
        assertThat(connection.lrange("l", 0, -1)).containsExactly("a");
        assertThat(requests)
                .containsExactly(
                        "l|k|0",
                        "l|k|1 10",
                        "r|k|tok",
                        "r|k|tok",
                        "n|k|tok 20",
                        "n|k|tok",
                        "e|k|",
                        "w|k|2",
                        "se|s|3 5",
                        "sl|s|0 3 5",
                        "incr|c|4",
                        "kset|v|a 1 0",
                        "kget|v|_",
                        "lrange|l|0 -1");
    }

    @Test
    void signals_are_separated_from_responses() throws Exception {
        responses.add("sig c one two\nok\nsig c 2\n");
        connection.listen("c", "");
        assertThat(connection.nextSignal(Duration.ofSeconds(10)))
                .contains(new Signals.Message("c", "one two"));
        assertThat(connection.nextSignal(Duration.ofSeconds(10)))
                .contains(new Signals.Message("c", "2"));
        assertThat(connection.nextSignal(Duration.ZERO)).isEqualTo(Optional.empty());
    }

    @Test
    void a_command_has_an_unknown_outcome_when_the_connection_breaks() {
        responses.add("");
        assertThatThrownBy(connection::ping).isInstanceOf(OutcomeUnknownException.class);
        assertThatThrownBy(connection::ping).isInstanceOf(ServerUnreachableException.class);
    }

    @Test
    void tokens_cannot_inject_a_line_and_are_not_printed() {
        assertThatThrownBy(() -> connection.release("k", "t\nr"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(new DflockdConnection.Grant("secret", 1).toString()).doesNotContain("secret");
        willRespond("error_max_waiters");
        assertThatThrownBy(() -> connection.lock("k", 0, 0))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("error_max_waiters");
    }
}
