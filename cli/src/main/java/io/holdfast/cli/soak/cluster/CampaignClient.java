package io.holdfast.cli.soak.cluster;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Uses one node until that goes wrong, and then another. Writes down what it saw. */
abstract class CampaignClient implements Runnable {
    /**
     * How long a request may take beyond what it waits for itself, with all faults that we make.
     */
    private static final int TIMEOUT_MILLIS = 40_000;

    private static final int RETRY_MILLIS = 150;

    final String name;
    final OperationHistory history;
    final SplittableRandom random;
    private final List<CampaignNode> nodes;
    private final CountDownLatch end;
    private int node;
    private @Nullable RequestSocket connection;

    /**
     * @param node where it begins
     * @param end when it ends
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

    /** One thing after the other. What goes wrong is noted before it is thrown. */
    abstract void turn() throws IOException, InterruptedException;

    int port(CampaignNode at) {
        return at.ports().dflockd();
    }

    final boolean isOver() {
        return end.getCount() == 0;
    }

    final void rest(int mostMillis) throws InterruptedException {
        boolean _ = end.await(random.nextInt(1, mostMillis + 1), TimeUnit.MILLISECONDS);
    }

    /** A connection to some node; throws if all is over. */
    final RequestSocket connection() throws IOException, InterruptedException {
        RequestSocket open = connection;
        while (open == null) {
            try {
                open = new RequestSocket(node, port(nodes.get(node)));
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

    /** Goes elsewhere next time. */
    final void drop() {
        RequestSocket open = connection;
        if (open != null) {
            open.close();
            connection = null;
            node = random.nextInt(nodes.size());
        }
    }

    /** A request in three lines. */
    final String ask(String command, String key, String argument)
            throws IOException, InterruptedException {
        return say(command + "\n" + key + "\n" + argument + "\n", command + " " + key, 0);
    }

    final String ask(String command, String key, String argument, int waitSeconds)
            throws IOException, InterruptedException {
        return say(command + "\n" + key + "\n" + argument + "\n", command + " " + key, waitSeconds);
    }

    final String say(String request, String told, int waitSeconds)
            throws IOException, InterruptedException {
        RequestSocket open = connection();
        try {
            return open.ask(request, TIMEOUT_MILLIS + waitSeconds * 1000);
        } catch (SocketTimeoutException e) {
            history.fault(
                    name + " got no answer from node " + open.node() + " to " + told + " for 40 s");
            throw e;
        }
    }
}
