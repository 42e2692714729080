package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.testsupport.FreePorts;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

@DisplayName("Three server processes")
class ClusterProcessIT {
    private static final Pattern LEADER =
            Pattern.compile("the cluster has a leader\" leader=n(\\d)");

    private static final Pattern HOLDER =
            Pattern.compile("\"connection\":(\\d+),\"name\":\"([^\"]*)\"");

    private static final Pattern CYCLE =
            Pattern.compile("\"cycles\":\\[\\[.*\"key\":\"(orders|invoices)\"");

    @TempDir private Path folder;

    /** The nodes of a cluster; n1 is the first. */
    private List<ServerProcess> serve() throws IOException {
        List<String> members = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            members.add("n" + i + "=127.0.0.1:" + FreePorts.next());
        }
        List<ServerProcess> servers = new ArrayList<>();
        for (int i = 1; i <= members.size(); i++) {
            servers.add(
                    ServerProcess.start(
                            "serve",
                            "--listen",
                            "dflockd://127.0.0.1:0",
                            "--listen",
                            "http://127.0.0.1:0",
                            "--cluster",
                            String.join(",", members),
                            "--node",
                            "n" + i,
                            "--data-dir",
                            folder.resolve("n" + i).toString()));
        }
        return servers;
    }

    /** Returns the HTTP response of a node. */
    private static String get(ServerProcess server, String path) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + server.portOf("http") + path);
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(
                            HttpRequest.newBuilder(uri).build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }

    /** The holder of a key as a node reports it: connection number and name. */
    private static Matcher holder(ServerProcess server, String key) throws Exception {
        Matcher holder = HOLDER.matcher(get(server, "/v1/keys?key=" + key));
        assertThat(holder.find()).as("has a holder").isTrue();
        return holder;
    }

    /** Creates a deadlock between two clients of two nodes. */
    private static void deadlock(ServerProcess seenFrom, int port, int otherPort) throws Exception {
        try (var one = new LineClient(port);
                var other = new LineClient(otherPort)) {
            one.lock("orders", "60");
            other.lock("invoices", "60");
            one.send("l", "invoices", "60");
            other.send("l", "orders", "60");
            await().until(
                            () ->
                                    CYCLE.matcher(get(seenFrom, "/v1/waits")).find()
                                            && !get(seenFrom, "/v1/waits")
                                                    .contains("concurrent\":true"));
        }
    }

    /** Returns the last leader that a node has logged. */
    private static int leader(ServerProcess server) {
        Matcher last =
                LEADER.matcher(
                        server.err().stream()
                                .filter(line -> LEADER.matcher(line).find())
                                .toList()
                                .getLast());
        assertThat(last.find()).isTrue();
        return Integer.parseInt(last.group(1)) - 1;
    }

    @Test
    void the_nodes_share_their_locks_and_continue_when_the_leader_is_killed() throws Exception {
        List<ServerProcess> servers = serve();
        try {
            List<Integer> ports = servers.stream().map(ServerProcess::port).toList();
            int leader = leader(servers.getFirst());
            int second = (leader + 1) % 3;
            int third = (leader + 2) % 3;
            try (var doomed = new LineClient(ports.get(leader));
                    var holder = new LineClient(ports.get(second));
                    var waiter = new LineClient(ports.get(third))) {
                String free = doomed.lock("free", "20");
                String token = holder.lock("printer", "20");
                assertThat(doomed.request("l", "printer", "0")).isEqualTo("timeout");
                Matcher seen = holder(servers.get(leader), "printer");
                assertThat(seen.group(2)).startsWith("127.0.0.1:");
                assertThat(seen.group()).isEqualTo(holder(servers.get(second), "printer").group());
                assertThat(get(servers.get(leader), "/v1/connections/" + seen.group(1)))
                        .contains("\"node\":\"n" + (second + 1) + "\"", "\"key\":\"printer\"");
                assertThat(waiter.request("e", "printer", "30")).isEqualTo("queued");
                waiter.send("w", "printer", "60");
                deadlock(servers.get(leader), ports.get(second), ports.get(third));
                servers.get(leader).signal("KILL");
                servers.get(leader).status();
                assertThat(holder.request("r", "printer", token)).isEqualTo("ok");
                String granted = String.valueOf(waiter.receive());
                assertThat(granted).startsWith("ok ");
                assertThat(granted.substring(3, 35)).isGreaterThan(token);
                // the hold of the dead node's client is released when its session ends
                assertThat(holder.lock("free", "60")).isGreaterThan(free);
            }
        } finally {
            servers.forEach(ServerProcess::close);
        }
    }
}
