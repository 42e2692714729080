package io.holdfast.verification.campaign;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** Injects a fault and undoes it. */
final class FaultInjector {
    /** The maximum difference of the monotonic clocks of two nodes. */
    private static final int SKEW_SECONDS = 100_000;

    private final List<CampaignNode> nodes;
    private final ProxiedNetwork proxiedNetwork;
    private final OperationHistory operationHistory;
    private final SplittableRandom random;
    private final Waiting waiting;
    private final Consumer<String> log;

    /** Waits, but no longer than until the end of the campaign. */
    interface Waiting {
        void pause(long millis) throws InterruptedException;
    }

    FaultInjector(
            List<CampaignNode> nodes,
            ProxiedNetwork proxiedNetwork,
            OperationHistory operationHistory,
            SplittableRandom random,
            Waiting waiting,
            Consumer<String> log) {
        this.nodes = nodes;
        this.proxiedNetwork = proxiedNetwork;
        this.operationHistory = operationHistory;
        this.random = random;
        this.waiting = waiting;
        this.log = log;
    }

    /**
     * Injects the fault. Returns when the fault is over; the cluster need not have recovered by
     * then.
     */
    void inject(Fault fault, int leader) throws IOException, InterruptedException {
        int follower = (leader + 1 + random.nextInt(nodes.size() - 1)) % nodes.size();
        switch (fault) {
            case KILL_LEADER -> kill(List.of(leader));
            case KILL_FOLLOWER -> kill(List.of(follower));
            case KILL_MAJORITY -> kill(majority(leader));
            case KILL_ALL -> kill(all());
            case PAUSE_LEADER -> suspend(leader);
            case PAUSE_FOLLOWER -> suspend(follower);
            case CUT_OFF_LEADER -> isolate(leader, true, true);
            case CUT_OFF_FOLLOWER -> isolate(follower, true, true);
            case DEAF_LEADER -> isolate(leader, true, false);
            case MUTE_LEADER -> isolate(leader, false, true);
            case DEAF_FOLLOWER -> isolate(follower, true, false);
            case SLOW -> slow();
            case FULL_DISK -> fill(random.nextInt(nodes.size()));
            case RESTART_ONE -> restart(List.of(random.nextInt(nodes.size())));
            case RESTART_ALL -> restart(all());
        }
    }

    private List<Integer> all() {
        List<Integer> all = new ArrayList<>();
        nodes.forEach(node -> all.add(node.index()));
        return all;
    }

    private List<Integer> majority(int leader) {
        List<Integer> some = new ArrayList<>();
        for (int i = 0; i <= nodes.size() / 2; i++) {
            some.add((leader + i) % nodes.size());
        }
        return some;
    }

    private void kill(List<Integer> victims) throws IOException, InterruptedException {
        int downMillis = random.nextInt(200, 9000);
        log.accept("kill -9 " + names(victims) + " for " + downMillis + " ms");
        for (int victim : victims) {
            nodes.get(victim).kill();
        }
        waiting.pause(downMillis);
        for (int victim : victims) {
            start(victim);
        }
    }

    private void restart(List<Integer> some) throws IOException, InterruptedException {
        log.accept("restart " + names(some));
        for (int one : some) {
            if (!nodes.get(one).shutDown()) {
                operationHistory.fault("node " + one + " did not end within 30 s of SIGTERM");
            }
            start(one);
        }
    }

    /** Starts a node with another clock than last time. */
    void start(int node) throws IOException {
        nodes.get(node).start(random.nextInt(SKEW_SECONDS));
    }

    private void suspend(int victim) throws IOException, InterruptedException {
        int length = random.nextInt(1000, 15_000);
        log.accept("suspend " + names(List.of(victim)) + " for " + length + " ms");
        CampaignNode node = nodes.get(victim);
        long from = System.nanoTime();
        node.pause();
        try {
            waiting.pause(length);
        } finally {
            node.resume();
            operationHistory.add(new OperationHistory.Suspended(victim, from, System.nanoTime()));
        }
    }

    private void isolate(int victim, boolean inbound, boolean outbound)
            throws InterruptedException {
        int length = random.nextInt(1000, 16_000);
        log.accept(
                "%s %s for %d ms"
                        .formatted(
                                inbound && outbound
                                        ? "isolate"
                                        : inbound ? "block traffic to" : "block traffic from",
                                names(List.of(victim)),
                                length));
        for (int other = 0; other < nodes.size(); other++) {
            if (other != victim && inbound) {
                proxiedNetwork.block(other, victim);
            }
            if (other != victim && outbound) {
                proxiedNetwork.block(victim, other);
            }
        }
        waiting.pause(length);
        proxiedNetwork.heal();
    }

    /**
     * A node that cannot persist what it acknowledges has to exit; it must not continue to serve.
     */
    private void fill(int victim) throws IOException, InterruptedException {
        int downMillis = random.nextInt(2000, 8000);
        CampaignNode node = nodes.get(victim);
        boolean full = node.refuseWrites();
        log.accept(
                full
                        ? "fail all disk writes of " + node.name() + " for " + downMillis + " ms"
                        : "a full disk cannot be simulated on this machine");
        waiting.pause(downMillis);
        log.accept(node.name() + (node.isRunning() ? " is still running" : " has ended"));
        node.kill();
        start(victim);
    }

    private void slow() throws InterruptedException {
        int delay = random.nextInt(5, 120);
        int length = random.nextInt(2000, 10_000);
        log.accept("delay all traffic by " + delay + " ms for " + length + " ms");
        proxiedNetwork.delay(delay);
        waiting.pause(length);
        proxiedNetwork.heal();
    }

    private String names(List<Integer> some) {
        return String.join(" ", some.stream().map(i -> nodes.get(i).name()).toList());
    }
}
