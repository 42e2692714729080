package io.holdfast.verification.campaign;

import io.holdfast.verification.line.LineClient;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A client that uses one node until a request fails, and then another one, and records its
 * operations in an {@link OperationHistory}.
 */
abstract class CampaignClient implements Runnable {
    /**
     * The timeout of a request, in addition to its own wait time, in the presence of all faults.
     */
    private static final Duration TIMEOUT = Duration.ofSeconds(40);

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

    /** The maximum length of a response, in bytes. */
    static final int MAX_LINE = 1 << 16;

    private static final int RETRY_MILLIS = 150;

    /**
     * A connection to a node.
     *
     * @param node the index of the node
     */
    record NodeConnection(int node, LineClient client) {}

    final String name;
    final OperationHistory history;
    final SplittableRandom random;
    private final List<CampaignNode> nodes;
    private final CountDownLatch end;
    private int node;
    private @Nullable NodeConnection connection;

    /**
     * @param node the index of the node to use first
     * @param end the client ends when this reaches zero
     */
    CampaignClient(
            String name,
            List<CampaignNode> nodes,
            int node,
            OperationHistory operationHistory,
            SplittableRandom random,
            CountDownLatch end) {
        this.name = name;
        this.nodes = nodes;
        this.node = node;
        this.history = operationHistory;
        this.random = random;
        this.end = end;
    }

    @Override
    public final void run() {
        try {
            while (end.getCount() > 0) {
                try {
                    turn();
                } catch (IOException e) {
                    drop();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            drop();
        }
    }

    /** One operation. It is recorded also when it fails with an exception. */
    abstract void turn() throws IOException, InterruptedException;

    int port(CampaignNode at) {
        return at.ports().dflockd();
    }

    final boolean isOver() {
        return end.getCount() == 0;
    }

    final void pause(int maxMillis) throws InterruptedException {
        boolean _ = end.await(random.nextInt(1, maxMillis + 1), TimeUnit.MILLISECONDS);
    }

    /**
     * Returns a connection to some node; throws if the campaign ends before a node can be reached.
     */
    final NodeConnection connection() throws IOException, InterruptedException {
        NodeConnection open = connection;
        while (open == null) {
            try {
                int port = port(nodes.get(node));
                open =
                        new NodeConnection(
                                node, LineClient.connect(port, CONNECT_TIMEOUT, MAX_LINE));
                connection = open;
            } catch (IOException e) {
                node = (node + 1) % nodes.size();
                if (end.await(RETRY_MILLIS, TimeUnit.MILLISECONDS)) {
                    throw e;
                }
            }
        }
        return open;
    }

    /** Closes the connection; the next one goes to a node chosen at random. */
    final void drop() {
        NodeConnection open = connection;
        if (open != null) {
            open.client().close();
            connection = null;
            node = random.nextInt(nodes.size());
        }
    }

    /** Sends a request of three lines and returns the response. */
    final String request(String command, String key, String argument)
            throws IOException, InterruptedException {
        return send(command + "\n" + key + "\n" + argument + "\n", command + " " + key, 0);
    }

    final String request(String command, String key, String argument, int waitSeconds)
            throws IOException, InterruptedException {
        return send(
                command + "\n" + key + "\n" + argument + "\n", command + " " + key, waitSeconds);
    }

    final String send(String request, String description, int waitSeconds)
            throws IOException, InterruptedException {
        NodeConnection open = connection();
        try {
            return open.client().request(request, TIMEOUT.plusSeconds(waitSeconds));
        } catch (SocketTimeoutException e) {
            history.fault(
                    name
                            + " got no response from node "
                            + open.node()
                            + " to "
                            + description
                            + " for 40 s");
            throw e;
        }
    }
}
