package io.holdfast.verification.campaign;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The network between the nodes, in which each direction can be blocked. All nodes use the same
 * host names, but each has its own hosts file: its own name resolves to its listener, the others to
 * a {@link NetworkProxy} of this process. So no address that nodes exchange bypasses the proxies.
 */
final class ProxiedNetwork implements Closeable {
    private final List<Integer> ports;
    private final NetworkDirection[][] directions;
    private final List<NetworkProxy> proxies = new ArrayList<>();

    /**
     * @param ports the ports on which the nodes listen for each other
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
                        proxies.add(
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

    /** The value of {@code --cluster}, the same for all nodes. */
    String members() {
        List<String> members = new ArrayList<>();
        for (int i = 0; i < ports.size(); i++) {
            members.add("n" + (i + 1) + "=" + host(i) + ":" + ports.get(i));
        }
        return String.join(",", members);
    }

    /** Writes the hosts file of a node. */
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

    /** The address of a proxy. On Linux, every address of 127.0.0.0/8 is local. */
    private static InetAddress address(int from, int to) throws IOException {
        return InetAddress.getByAddress(new byte[] {127, 77, (byte) (from + 1), (byte) (to + 1)});
    }

    /** Blocks the traffic from one node to another. */
    void block(int from, int to) {
        directions[from][to].block();
    }

    /** Delays all traffic between the nodes. */
    void delay(long millis) {
        for (NetworkDirection[] row : directions) {
            for (NetworkDirection networkDirection : row) {
                networkDirection.delay(millis);
            }
        }
    }

    /** Ends all blocks and delays. */
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
        proxies.forEach(NetworkProxy::close);
    }
}
