package io.holdfast.server.lockd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.engine.Namespace;
import io.holdfast.server.listener.ListenAddress;
import io.holdfast.server.listener.ListenEndpoint;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;

@DisplayName("A lockd listener")
@Timeout(120)
class LockdCommandPermissionsIT {
    private static final List<String> DUMPS =
            List.of("d", "d x", "sd", "sd x", "dump", "dump shared", "dump x");

    private final LockdTestServer server =
            LockdTestServer.start(
                    listener(false, false),
                    listener(true, false),
                    listener(false, true),
                    listener(true, true));
    private final LockdTestClient neither = server.connect(0);
    private final LockdTestClient dumping = server.connect(1);
    private final LockdTestClient registering = server.connect(2);
    private final LockdTestClient both = server.connect(3);

    private static ListenEndpoint listener(boolean dump, boolean registry) {
        return LockdTestServer.lockd(Namespace.DEFAULT, dump, registry);
    }

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void a_listener_without_dump_refuses_listings_and_counts_them() {
        neither.get("x");
        for (LockdTestClient client : List.of(neither, registering)) {
            for (String command : DUMPS) {
                assertThat(client.request(command)).as(command).isEqualTo("0 disabled");
            }
        }
        assertThat(both.counters())
                .containsEntry("command_d", 4L)
                .containsEntry("command_sd", 4L)
                .containsEntry("command_dump", 6L);
    }

    @Test
    void a_listener_without_registry_disables_iam_but_not_me() {
        for (LockdTestClient client : List.of(neither, dumping)) {
            assertThat(client.request("iam x")).isEqualTo("0 disabled");
            assertThat(client.request("iam")).isEqualTo("0 disabled");
            assertThat(client.request("me")).isEqualTo("1 " + client.name() + " " + client.name());
        }
        assertThat(both.counters())
                .containsEntry("command_iam", 4L)
                .containsEntry("command_me", 2L);
        assertThat(both.list("who")).isEmpty();
    }

    @Test
    void who_requires_dump_and_registry() {
        for (LockdTestClient client : List.of(neither, dumping, registering)) {
            assertThat(client.request("who")).isEqualTo("0 disabled");
            assertThat(client.request("who x")).isEqualTo("0 disabled");
        }
        assertThat(registering.request("iam x")).isEqualTo("1 ok");
        assertThat(both.list("who")).containsExactly(registering.name() + ": x");
    }

    @Test
    void listeners_of_one_namespace_share_everything() {
        neither.get("a");
        registering.get("b").request("iam known");
        assertThat(dumping.list("d")).containsExactly("a: " + neither.name(), "b: known");
        both.assertRefused("a");
        assertThat(neither.counters())
                .containsEntry("connections", 4L)
                .containsEntry("locks", 2L)
                .containsEntry("command_g", 3L);
    }

    @Test
    void ipv6_connections_are_named_with_brackets_and_ipv4_ones_without() throws Exception {
        assumeTrue(hasIpv6(), "no IPv6 here");
        ListenEndpoint six =
                new ListenEndpoint(
                        LockdProtocol.TCP,
                        new ListenAddress.Tcp("::1", 0),
                        new LockdOptions(Namespace.DEFAULT, true, true));
        try (LockdTestServer mixed = LockdTestServer.start(six, LockdTestServer.lockd())) {
            assertThat(mixed.connect(0).request("me")).matches("1 (\\[::1]:\\d+) \\1");
            assertThat(mixed.connect(1).request("me")).matches("1 (127\\.0\\.0\\.1:\\d+) \\1");
        }
    }

    private static boolean hasIpv6() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.ofLiteral("::1"))) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
