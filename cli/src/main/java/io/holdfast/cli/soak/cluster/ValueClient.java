package io.holdfast.cli.soak.cluster;

import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;

/** Writes ever greater numbers under a key of its own, and reads its own and the others'. */
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
        rest(30);
    }

    private void write() throws IOException, InterruptedException {
        connection();
        long value = ++last;
        long asked = System.nanoTime();
        long answered = OperationHistory.UNKNOWN;
        try {
            if (ask("kset", own, value + " 0").equals("ok")) {
                answered = System.nanoTime();
            }
        } finally {
            history.add(new OperationHistory.Written(own, asked, answered, value));
        }
    }

    private void read(String key) throws IOException, InterruptedException {
        connection();
        long asked = System.nanoTime();
        String answer = ask("kget", key, "");
        if (answer.equals("nil") || answer.startsWith("ok ")) {
            long value = answer.equals("nil") ? 0 : Long.parseLong(answer.substring(3));
            history.add(new OperationHistory.Read(name, key, asked, System.nanoTime(), value));
        }
    }
}
