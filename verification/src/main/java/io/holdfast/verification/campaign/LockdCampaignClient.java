package io.holdfast.verification.campaign;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Tries to acquire the same locks with the lockd protocol, where a hold lasts as long as its
 * connection.
 */
final class LockdCampaignClient extends CampaignClient {
    private static final long CONCLUSIVE_NANOS = TimeUnit.SECONDS.toNanos(4);

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
        NodeConnection at = connection();
        long requested = System.nanoTime();
        if (send("g " + key + "\n", "g " + key, 0).startsWith("1 ")) {
            hold(at, key, requested, System.nanoTime());
        }
        pause(60);
    }

    private void hold(NodeConnection at, String key, long requested, long granted)
            throws IOException, InterruptedException {
        long sent = at.client().sent();
        long confirmed = granted;
        long ended = granted;
        try {
            if (at.client().endsWithin(Duration.ofMillis(random.nextInt(1, 80)))) {
                ended = System.nanoTime();
                throw new IOException("disconnected while holding a lock");
            }
            ended = System.nanoTime();
            if (send("r " + key + "\n", "r " + key, 0).startsWith("1 ")) {
                confirmed = ended;
            } else {
                long responded = System.nanoTime();
                if (responded - ended < CONCLUSIVE_NANOS) {
                    history.add(
                            new OperationHistory.Lost(
                                    name, at.node(), key, "release", granted, ended, responded));
                }
                drop(); // this connection may still hold the lock
            }
        } finally {
            history.add(
                    new ObservedHold(
                            name,
                            at.node(),
                            key,
                            ObservedHold.NO_FENCE,
                            requested,
                            sent,
                            ObservedHold.NEVER,
                            granted,
                            confirmed,
                            ended));
        }
    }
}
