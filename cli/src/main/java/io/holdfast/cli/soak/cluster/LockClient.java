package io.holdfast.cli.soak.cluster;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Takes locks by dflockd's protocol: at once or in two phases, waiting or not; holds them for a
 * while, renews some, lets the lease of some run out. If its connection ends it sometimes takes its
 * lock over to another node.
 */
final class LockClient extends CampaignClient {
    /** No answer that says what the cluster knows takes as long as one that says it does not. */
    private static final long SWIFT = TimeUnit.SECONDS.toNanos(4);

    private final List<String> keys;
    private final boolean inTwoPhases;

    /** Locks whose leases it let run out: they may last longer, if there was no leader. */
    private final Set<String> overslept = new HashSet<>();

    LockClient(
            String name,
            List<CampaignNode> nodes,
            int node,
            OperationHistory operationHistory,
            SplittableRandom random,
            CountDownLatch end,
            List<String> keys,
            boolean inTwoPhases) {
        super(name, nodes, node, operationHistory, random, end);
        this.keys = keys;
        this.inTwoPhases = inTwoPhases;
    }

    /** A lock while it is held. */
    private static final class HeldLock {
        final String key;
        final String token;
        final long asked;
        final long sent;
        final long inLine;
        final long granted;
        final int node;
        boolean over;
        long confirmed;
        long leaseEnd;

        HeldLock(
                int node,
                String key,
                String token,
                long asked,
                long sent,
                long inLine,
                long lease) {
            this.node = node;
            this.key = key;
            this.token = token;
            this.asked = asked;
            this.sent = sent;
            this.inLine = inLine;
            granted = System.nanoTime();
            confirmed = granted;
            leaseEnd = asked + lease;
        }
    }

    @Override
    void turn() throws IOException, InterruptedException {
        String key = keys.get(random.nextInt(keys.size()));
        int lease = random.nextInt(8) == 0 ? 1 : random.nextInt(3, 20);
        int wait = random.nextInt(4) == 0 ? 0 : random.nextInt(1, 11);
        HeldLock heldLock = inTwoPhases ? enqueue(key, wait, lease) : acquire(key, wait, lease);
        if (heldLock != null) {
            hold(heldLock, lease);
        }
        rest(40);
    }

    private @Nullable HeldLock acquire(String key, int wait, int lease)
            throws IOException, InterruptedException {
        RequestSocket at = connection();
        long asked = System.nanoTime();
        String answer = ask("l", key, wait + " " + lease, wait);
        return granted(
                at, key, answer, "ok ", asked, at.sent(), ObservedHold.NEVER, lease, asked, wait);
    }

    private @Nullable HeldLock enqueue(String key, int wait, int lease)
            throws IOException, InterruptedException {
        RequestSocket at = connection();
        long asked = System.nanoTime();
        String answer = ask("e", key, "" + lease);
        long sent = at.sent();
        long inLine = System.nanoTime();
        if (!answer.equals("queued")) {
            return granted(at, key, answer, "acquired ", asked, sent, inLine, lease, asked, 0);
        }
        long waits = System.nanoTime();
        String end = ask("w", key, "" + wait, wait);
        return granted(at, key, end, "ok ", asked, sent, inLine, lease, waits, wait);
    }

    private @Nullable HeldLock granted(
            RequestSocket at,
            String key,
            String answer,
            String word,
            long asked,
            long sent,
            long inLine,
            int lease,
            long waits,
            int wait) {
        if (answer.startsWith(word)) {
            overslept.remove(key);
            String token = answer.substring(word.length()).replaceFirst(" .*", "");
            return new HeldLock(
                    at.node(), key, token, asked, sent, inLine, TimeUnit.SECONDS.toNanos(lease));
        }
        if (answer.equals("timeout")) {
            history.add(
                    new OperationHistory.TimedOut(
                            name, key, waits, System.nanoTime(), TimeUnit.SECONDS.toNanos(wait)));
        } else if (answer.equals("error_already_enqueued") && overslept.contains(key)) {
            drop();
        } else if (!answer.equals("error") && !answer.equals("error_draining")) {
            history.fault(name + " wanted " + key + " and was told: " + answer);
        }
        return null;
    }

    private void hold(HeldLock heldLock, int lease) throws IOException, InterruptedException {
        boolean renews = random.nextInt(3) == 0;
        try {
            if (random.nextInt(12) == 0 && lease <= 4) {
                sleepOver(heldLock);
                return;
            }
            hold(random.nextInt(8) == 0 ? 800 : 60);
            if (renews) {
                renew(heldLock, random.nextInt(3, 20));
                hold(60);
            }
            release(heldLock);
        } catch (IOException e) {
            long lost = System.nanoTime();
            drop();
            if (heldLock.over || random.nextBoolean() || !takeOver(heldLock)) {
                end(heldLock, lost);
                throw e;
            }
        }
    }

    /** Throws at once if the connection ends. */
    private void hold(int mostMillis) throws IOException, InterruptedException {
        if (connection().endsWithin(random.nextInt(1, mostMillis + 1))) {
            throw new IOException("sent away while holding");
        }
    }

    /** Lets the lease run out, and does not say so. */
    private void sleepOver(HeldLock heldLock) throws IOException, InterruptedException {
        long left = heldLock.leaseEnd - System.nanoTime();
        if (left > 0) {
            if (connection().endsWithin((int) TimeUnit.NANOSECONDS.toMillis(left))) {
                throw new IOException("sent away while holding");
            }
        }
        end(heldLock, ObservedHold.NEVER);
        overslept.add(heldLock.key);
    }

    private void renew(HeldLock heldLock, int lease) throws IOException, InterruptedException {
        long asked = System.nanoTime();
        String answer = ask("n", heldLock.key, heldLock.token + " " + lease);
        if (answer.startsWith("ok ")) {
            heldLock.confirmed = asked;
            heldLock.leaseEnd = asked + TimeUnit.SECONDS.toNanos(lease);
        } else {
            refused(heldLock, "renew", asked);
        }
    }

    private void release(HeldLock heldLock) throws IOException, InterruptedException {
        long asked = System.nanoTime();
        String answer;
        try {
            answer = ask("r", heldLock.key, heldLock.token);
        } catch (IOException e) {
            end(heldLock, asked);
            throw e;
        }
        if (answer.equals("ok")) {
            heldLock.confirmed = asked;
        } else {
            refused(heldLock, "release", asked);
            drop(); // it may still be held, and nobody can get in line for what it holds
        }
        end(heldLock, asked);
    }

    private void refused(HeldLock heldLock, String request, long asked) {
        long answered = System.nanoTime();
        if (asked < heldLock.leaseEnd && answered < heldLock.leaseEnd && answered - asked < SWIFT) {
            history.add(
                    new OperationHistory.Lost(
                            name,
                            heldLock.node,
                            heldLock.key,
                            request,
                            heldLock.granted,
                            asked,
                            answered));
        }
    }

    /** Renews by another connection: the lock is then that one's. */
    private boolean takeOver(HeldLock heldLock) throws InterruptedException {
        try {
            connection();
            long asked = System.nanoTime();
            String answer = ask("n", heldLock.key, heldLock.token + " 15");
            if (!answer.startsWith("ok ")) {
                return false;
            }
            heldLock.confirmed = asked;
            heldLock.leaseEnd = asked + TimeUnit.SECONDS.toNanos(15);
            release(heldLock);
            return true;
        } catch (IOException e) {
            drop();
            return false;
        }
    }

    private void end(HeldLock heldLock, long when) {
        if (heldLock.over) {
            return;
        }
        heldLock.over = true;
        history.add(
                new ObservedHold(
                        name,
                        heldLock.node,
                        heldLock.key,
                        Long.parseUnsignedLong(heldLock.token, 0, 16, 16),
                        heldLock.asked,
                        heldLock.sent,
                        heldLock.inLine,
                        heldLock.granted,
                        heldLock.confirmed,
                        Math.max(heldLock.granted, Math.min(when, heldLock.leaseEnd))));
    }
}
