package io.holdfast.cli.soak.cluster;

import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Tries for the same locks by lockd's protocol, where they last as long as the connection. */
final class LockdCampaignClient extends CampaignClient {
    private static final long SWIFT = TimeUnit.SECONDS.toNanos(4);

    private final List<String> keys;

    LockdCampaignClient(
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
    int port(CampaignNode at) {
        return at.ports().lockd();
    }

    @Override
    void turn() throws IOException, InterruptedException {
        String key = keys.get(random.nextInt(keys.size()));
        RequestSocket at = connection();
        long asked = System.nanoTime();
        if (say("g " + key + "\n", "g " + key, 0).startsWith("1 ")) {
            hold(at, key, asked, System.nanoTime());
        }
        rest(60);
    }

    private void hold(RequestSocket at, String key, long asked, long granted)
            throws IOException, InterruptedException {
        long sent = at.sent();
        long confirmed = granted;
        long ended = granted;
        try {
            if (at.endsWithin(random.nextInt(1, 80))) {
                ended = System.nanoTime();
                throw new IOException("sent away while holding");
            }
            ended = System.nanoTime();
            if (say("r " + key + "\n", "r " + key, 0).startsWith("1 ")) {
                confirmed = ended;
            } else {
                long answered = System.nanoTime();
                if (answered - ended < SWIFT) {
                    history.add(
                            new OperationHistory.Lost(
                                    name, at.node(), key, "release", granted, ended, answered));
                }
                drop(); // it may have the lock still
            }
        } finally {
            history.add(
                    new ObservedHold(
                            name,
                            at.node(),
                            key,
                            ObservedHold.NO_FENCE,
                            asked,
                            sent,
                            ObservedHold.NEVER,
                            granted,
                            confirmed,
                            ended));
        }
    }
}
