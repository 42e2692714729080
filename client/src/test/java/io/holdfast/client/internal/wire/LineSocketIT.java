package io.holdfast.client.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.client.internal.service.ServiceException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

@DisplayName("A line socket")
class LineSocketIT {
    private ServerSocket listener;
    private LineSocket socket;
    private Socket peer;

    @BeforeEach
    void connect() throws Exception {
        listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        var address = InetSocketAddress.createUnresolved("127.0.0.1", listener.getLocalPort());
        socket =
                LineSocket.dial(
                        TaggedServiceFixture.config(address, Duration.ofSeconds(10)), address);
        peer = listener.accept();
    }

    @AfterEach
    void disconnect() throws Exception {
        socket.close();
        peer.close();
        listener.close();
    }

    private void send(String text) throws IOException {
        peer.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void lines_of_any_length_are_read_completely() throws Exception {
        String large = "ä".repeat(100_000);
        var sender =
                new Thread(
                        () -> {
                            try {
                                send("a\n\nb c\n" + large + "\nend");
                                peer.close();
                            } catch (IOException e) {
                                throw new AssertionError(e);
                            }
                        });
        sender.start();
        assertThat(socket.readLine()).isEqualTo("a");
        assertThat(socket.readLine()).isEmpty();
        assertThat(socket.readLine()).isEqualTo("b c");
        assertThat(socket.readLine()).isEqualTo(large);
        assertThatThrownBy(socket::readLine).isInstanceOf(EOFException.class);
        sender.join();
    }

    @Test
    void a_read_ends_at_the_read_timeout() throws Exception {
        socket.readTimeout(Duration.ofMillis(20));
        assertThatThrownBy(socket::readLine).isInstanceOf(SocketTimeoutException.class);
    }

    @Test
    void an_authentication_failure_does_not_contain_the_token() throws Exception {
        send("ok\nerror_auth\nerror\n");
        socket.authenticate(() -> "hush");
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> socket.authenticate(() -> "hush"))
                    .hasMessageContaining(socket.address())
                    .hasMessageNotContaining("hush")
                    .isInstanceOfSatisfying(
                            ServiceException.class,
                            e ->
                                    assertThat(e.kind())
                                            .isEqualTo(ServiceException.Kind.AUTHENTICATION));
        }
        assertThat(new String(peer.getInputStream().readNBytes(12), StandardCharsets.UTF_8))
                .isEqualTo("auth\n_\nhush\n");
    }

    @Test
    void a_connection_closed_before_the_first_response_raises_the_question_of_TLS()
            throws Exception {
        peer.shutdownOutput();
        assertThatThrownBy(socket::readLine)
                .isInstanceOf(EOFException.class)
                .hasMessageContaining("does it require TLS?");
    }

    @Test
    void a_connection_closed_after_a_response_has_nothing_to_do_with_TLS() throws Exception {
        send("ok\n");
        peer.shutdownOutput();
        assertThat(socket.readLine()).isEqualTo("ok");
        assertThatThrownBy(socket::readLine).hasMessage("closed by the server");
    }

    @Test
    void a_TLS_alert_as_the_first_response_means_that_the_server_requires_TLS() throws Exception {
        peer.getOutputStream().write(new byte[] {21, 3, 3, 0, 2, 2, 10}); // unexpected_message
        assertThatThrownBy(socket::readLine).hasMessage("the server requires TLS");
    }

    @Test
    void an_unreachable_server_is_reported_with_its_address() throws Exception {
        listener.close();
        var address = InetSocketAddress.createUnresolved("127.0.0.1", listener.getLocalPort());
        var config = TaggedServiceFixture.config(address, Duration.ofSeconds(10));
        assertThatThrownBy(() -> LineSocket.dial(config, address))
                .hasMessageContaining("127.0.0.1:" + address.getPort())
                .isInstanceOfSatisfying(
                        ServiceException.class,
                        e -> assertThat(e.kind()).isEqualTo(ServiceException.Kind.UNREACHABLE));
    }
}
