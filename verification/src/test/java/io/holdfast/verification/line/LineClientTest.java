package io.holdfast.verification.line;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

@DisplayName("A connection that carries lines")
@Timeout(60)
class LineClientTest {
    private static final Duration SHORT = Duration.ofMillis(20);
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final int MAX_LINE = 5;

    private ServerSocket listener;
    private LineClient client;
    private Socket server;

    @BeforeEach
    void connect() throws IOException {
        listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        client = LineClient.connect(listener.getLocalPort(), LONG, MAX_LINE);
        server = listener.accept();
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        server.close();
        listener.close();
    }

    private void send(String text) throws IOException {
        server.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void lines_are_returned_without_their_ends() throws IOException {
        send("é 1\n\nok\n");
        assertThat(client.readLine(LONG)).isEqualTo("é 1");
        assertThat(client.readLine(LONG)).isEmpty();
        assertThat(client.readLine(LONG)).isEqualTo("ok");
    }

    @Test
    void a_line_may_have_as_many_bytes_as_the_limit_and_no_more() throws IOException {
        send("12345\n123456\n");
        assertThat(client.readLine(LONG)).isEqualTo("12345");
        assertThatThrownBy(() -> client.readLine(LONG))
                .isInstanceOf(IOException.class)
                .hasMessage("the response is too long");
    }

    @Test
    void a_read_ends_with_the_timeout_or_the_connection() throws IOException {
        send("half");
        assertThatThrownBy(() -> client.readLine(SHORT)).isInstanceOf(SocketTimeoutException.class);
        server.close();
        assertThatThrownBy(() -> client.readLine(LONG))
                .isInstanceOf(IOException.class)
                .hasMessage("the server closed the connection");
    }

    @Test
    void a_connection_that_stays_open_does_not_end_within_a_time() throws IOException {
        assertThat(client.endsWithin(SHORT)).isFalse();
        send("x");
        assertThat(client.endsWithin(LONG)).isFalse();
    }

    @Test
    void a_connection_ends_when_the_server_closes_or_resets_it() throws IOException {
        server.close();
        assertThat(client.endsWithin(LONG)).isTrue();
        try (LineClient second = LineClient.connect(listener.getLocalPort(), LONG)) {
            try (Socket peer = listener.accept()) {
                peer.setSoLinger(true, 0); // closing it resets the connection
            }
            assertThat(second.endsWithin(LONG)).isTrue();
        }
    }

    @Test
    void another_thread_may_close_it_while_a_line_is_read() {
        CompletableFuture<String> line =
                CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return client.request("l\n", LONG);
                            } catch (IOException e) {
                                throw new IllegalStateException(e);
                            }
                        });
        assertThat(received()).isEqualTo('l'); // so the thread is about to read, or does
        client.close();
        assertThatThrownBy(line::get)
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseInstanceOf(IOException.class);
    }

    private int received() {
        try {
            return server.getInputStream().read();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
