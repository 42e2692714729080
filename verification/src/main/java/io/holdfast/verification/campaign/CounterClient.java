package io.holdfast.verification.campaign;

import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;

/** Increments counters that several clients share. */
final class CounterClient extends CampaignClient {
    private final List<String> keys;

    CounterClient(
            String name,
            List<CampaignNode> nodes,
            int node,
            OperationHistory operationHistory,
            SplittableRandom random,
            CountDownLatch end,
            List<String> keys) {
        super(name, nodes, node, operationHistory, random, end);
        this.keys = keys;
    }

    @Override
    void turn() throws IOException, InterruptedException {
        String key = keys.get(random.nextInt(keys.size()));
        connection();
        long requested = System.nanoTime();
        String response;
        try {
            response = request("incr", key, "1");
        } catch (IOException e) {
            history.add(new OperationHistory.Added(key, requested, OperationHistory.UNKNOWN, 0));
            throw e;
        }
        if (response.startsWith("ok ")) {
            long value = Long.parseLong(response.substring("ok ".length()));
            history.add(new OperationHistory.Added(key, requested, System.nanoTime(), value));
        } else {
            history.add(new OperationHistory.Added(key, requested, OperationHistory.UNKNOWN, 0));
        }
        pause(30);
    }
}
