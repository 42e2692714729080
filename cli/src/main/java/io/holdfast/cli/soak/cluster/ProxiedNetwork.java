package io.holdfast.cli.soak.cluster;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The ways between nodes, which can be broken one by one. Each node is known by a name, and each
 * node has a file of its own that says where the names are: its own name is where it listens, the
 * others' are a {@link NetworkProxy} of this process. So all nodes agree on the names, and no
 * address that one tells another leads past the links.
 */
final class ProxiedNetwork implements Closeable {
    private final List<Integer> ports;
    private final NetworkDirection[][] directions;
    private final List<NetworkProxy> links = new ArrayList<>();

    /**
     * @param ports where the nodes listen for each other
     */
    ProxiedNetwork(List<Integer> ports) throws IOException {
        this.ports = List.copyOf(ports);
        int nodes = ports.size();
        directions = new NetworkDirection[nodes][nodes];
        for (int from = 0; from < nodes; from++) {
            for (int to = 0; to < nodes; to++) {
                directions[from][to] = new NetworkDirection();
            }
        }
        try {
            for (int from = 0; from < nodes; from++) {
                for (int to = 0; to < nodes; to++) {
                    if (from != to) {
                        links.add(
                                new NetworkProxy(
                                        new InetSocketAddress(address(from, to), ports.get(to)),
                                        new InetSocketAddress(
                                                InetAddress.getLoopbackAddress(), ports.get(to)),
                                        directions[from][to],
                                        directions[to][from]));
                    }
                }
            }
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    /** The value of {@code --cluster}, the same for all. */
    String members() {
        List<String> members = new ArrayList<>();
        for (int i = 0; i < ports.size(); i++) {
            members.add("n" + (i + 1) + "=" + host(i) + ":" + ports.get(i));
        }
        return String.join(",", members);
    }

    /** Writes where a node finds the names. */
    void writeHosts(int node, Path file) throws IOException {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < ports.size(); i++) {
            String address = i == node ? "127.0.0.1" : address(node, i).getHostAddress();
            lines.add(address + " " + host(i));
        }
        lines.add("127.0.0.1 localhost");
        Files.write(file, lines);
    }

    private static String host(int node) {
        return "n" + (node + 1) + ".soak";
    }

    /** Linux takes every address of 127.0.0.0/8 for its own. */
    private static InetAddress address(int from, int to) throws IOException {
        return InetAddress.getByAddress(new byte[] {127, 77, (byte) (from + 1), (byte) (to + 1)});
    }

    /** What one node says does not reach another. */
    void block(int from, int to) {
        directions[from][to].block();
    }

    /** Everything that nodes tell each other takes so much longer. */
    void delay(long millis) {
        for (NetworkDirection[] row : directions) {
            for (NetworkDirection networkDirection : row) {
                networkDirection.delay(millis);
            }
        }
    }

    /** All is as it should be. */
    void heal() {
        for (NetworkDirection[] row : directions) {
            for (NetworkDirection networkDirection : row) {
                networkDirection.open();
            }
        }
    }

    @Override
    public void close() {
        heal();
        links.forEach(NetworkProxy::close);
    }
}
