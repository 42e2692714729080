package io.holdfast.verification.campaign;

import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;

/**
 * Writes increasing numbers to a key of its own, and reads its own key and those of the other
 * clients.
 */
final class ValueClient extends CampaignClient {
    private final String own;
    private final List<String> all;
    private long last;

    ValueClient(
            String name,
            List<CampaignNode> nodes,
            int node,
            OperationHistory operationHistory,
            SplittableRandom random,
            CountDownLatch end,
            String own,
            List<String> all) {
        super(name, nodes, node, operationHistory, random, end);
        this.own = own;
        this.all = all;
    }

    @Override
    void turn() throws IOException, InterruptedException {
        if (random.nextBoolean()) {
            write();
        } else {
            read(random.nextInt(3) > 0 ? own : all.get(random.nextInt(all.size())));
        }
        pause(30);
    }

    private void write() throws IOException, InterruptedException {
        connection();
        long value = ++last;
        long requested = System.nanoTime();
        long responded = OperationHistory.UNKNOWN;
        try {
            if (request("kset", own, value + " 0").equals("ok")) {
                responded = System.nanoTime();
            }
        } finally {
            history.add(new OperationHistory.Written(own, requested, responded, value));
        }
    }

    private void read(String key) throws IOException, InterruptedException {
        connection();
        long requested = System.nanoTime();
        String response = request("kget", key, "");
        if (response.equals("nil") || response.startsWith("ok ")) {
            long value = response.equals("nil") ? 0 : Long.parseLong(response.substring(3));
            history.add(new OperationHistory.Read(name, key, requested, System.nanoTime(), value));
        }
    }
}
