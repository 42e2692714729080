package io.holdfast.verification.campaign;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Acquires locks with the dflockd protocol: in one phase or two, with and without waiting. Holds
 * them for a while, renews some, and lets the lease of some expire. If its connection ends while it
 * holds a lock, it sometimes renews the lock through another node.
 */
final class LockClient extends CampaignClient {
    /**
     * The maximum time of a conclusive response. A slower one may mean that the cluster could not
     * decide in time, so it is not counted as a loss.
     */
    private static final long CONCLUSIVE_NANOS = TimeUnit.SECONDS.toNanos(4);

    private final List<String> keys;
    private final boolean twoPhase;

    /**
     * The keys of locks whose leases this client let expire: they may be held for longer if there
     * was no leader.
     */
    private final Set<String> expiredKeys = new HashSet<>();

    LockClient(
            String name,
            List<CampaignNode> nodes,
            int node,
            OperationHistory operationHistory,
            SplittableRandom random,
            CountDownLatch end,
            List<String> keys,
            boolean twoPhase) {
        super(name, nodes, node, operationHistory, random, end);
        this.keys = keys;
        this.twoPhase = twoPhase;
    }

    /** A lock that this client holds. */
    private static final class HeldLock {
        final String key;
        final String token;
        final long requested;
        final long sent;
        final long enqueued;
        final long granted;
        final int node;
        boolean over;
        long confirmed;
        long leaseEnd;

        HeldLock(
                int node,
                String key,
                String token,
                long requested,
                long sent,
                long enqueued,
                long lease) {
            this.node = node;
            this.key = key;
            this.token = token;
            this.requested = requested;
            this.sent = sent;
            this.enqueued = enqueued;
            granted = System.nanoTime();
            confirmed = granted;
            leaseEnd = requested + lease;
        }
    }

    @Override
    void turn() throws IOException, InterruptedException {
        String key = keys.get(random.nextInt(keys.size()));
        int lease = random.nextInt(8) == 0 ? 1 : random.nextInt(3, 20);
        int wait = random.nextInt(4) == 0 ? 0 : random.nextInt(1, 11);
        HeldLock heldLock = twoPhase ? enqueue(key, wait, lease) : acquire(key, wait, lease);
        if (heldLock != null) {
            hold(heldLock, lease);
        }
        pause(40);
    }

    private @Nullable HeldLock acquire(String key, int wait, int lease)
            throws IOException, InterruptedException {
        NodeConnection at = connection();
        long requested = System.nanoTime();
        String response = request("l", key, wait + " " + lease, wait);
        return granted(
                at,
                key,
                response,
                "ok ",
                requested,
                at.client().sent(),
                ObservedHold.NEVER,
                lease,
                requested,
                wait);
    }

    private @Nullable HeldLock enqueue(String key, int wait, int lease)
            throws IOException, InterruptedException {
        NodeConnection at = connection();
        long requested = System.nanoTime();
        String response = request("e", key, "" + lease);
        long sent = at.client().sent();
        long enqueued = System.nanoTime();
        if (!response.equals("queued")) {
            return granted(
                    at, key, response, "acquired ", requested, sent, enqueued, lease, requested, 0);
        }
        long waits = System.nanoTime();
        String end = request("w", key, "" + wait, wait);
        return granted(at, key, end, "ok ", requested, sent, enqueued, lease, waits, wait);
    }

    private @Nullable HeldLock granted(
            NodeConnection at,
            String key,
            String response,
            String word,
            long requested,
            long sent,
            long enqueued,
            int lease,
            long waits,
            int wait) {
        if (response.startsWith(word)) {
            expiredKeys.remove(key);
            String token = response.substring(word.length()).replaceFirst(" .*", "");
            return new HeldLock(
                    at.node(),
                    key,
                    token,
                    requested,
                    sent,
                    enqueued,
                    TimeUnit.SECONDS.toNanos(lease));
        }
        if (response.equals("timeout")) {
            history.add(
                    new OperationHistory.TimedOut(
                            name, key, waits, System.nanoTime(), TimeUnit.SECONDS.toNanos(wait)));
        } else if (response.equals("error_already_enqueued") && expiredKeys.contains(key)) {
            drop();
        } else if (!response.equals("error") && !response.equals("error_draining")) {
            history.fault(
                    name + " requested " + key + " and got an unexpected response: " + response);
        }
        return null;
    }

    private void hold(HeldLock heldLock, int lease) throws IOException, InterruptedException {
        boolean renews = random.nextInt(3) == 0;
        try {
            if (random.nextInt(12) == 0 && lease <= 4) {
                letLeaseExpire(heldLock);
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
            if (heldLock.over || random.nextBoolean() || !continueElsewhere(heldLock)) {
                end(heldLock, lost);
                throw e;
            }
        }
    }

    /** Waits while the lock is held; throws as soon as the connection ends. */
    private void hold(int maxMillis) throws IOException, InterruptedException {
        if (connection().client().endsWithin(Duration.ofMillis(random.nextInt(1, maxMillis + 1)))) {
            throw new IOException("disconnected while holding a lock");
        }
    }

    /** Lets the lease expire without releasing the lock. */
    private void letLeaseExpire(HeldLock heldLock) throws IOException, InterruptedException {
        long left = heldLock.leaseEnd - System.nanoTime();
        if (left > 0) {
            if (connection().client().endsWithin(Duration.ofNanos(left))) {
                throw new IOException("disconnected while holding a lock");
            }
        }
        end(heldLock, ObservedHold.NEVER);
        expiredKeys.add(heldLock.key);
    }

    private void renew(HeldLock heldLock, int lease) throws IOException, InterruptedException {
        long requested = System.nanoTime();
        String response = request("n", heldLock.key, heldLock.token + " " + lease);
        if (response.startsWith("ok ")) {
            heldLock.confirmed = requested;
            heldLock.leaseEnd = requested + TimeUnit.SECONDS.toNanos(lease);
        } else {
            refused(heldLock, "renew", requested);
        }
    }

    private void release(HeldLock heldLock) throws IOException, InterruptedException {
        long requested = System.nanoTime();
        String response;
        try {
            response = request("r", heldLock.key, heldLock.token);
        } catch (IOException e) {
            end(heldLock, requested);
            throw e;
        }
        if (response.equals("ok")) {
            heldLock.confirmed = requested;
        } else {
            refused(heldLock, "release", requested);
            drop(); // the lock may still be held, and a session cannot enqueue for a lock that it
            // holds
        }
        end(heldLock, requested);
    }

    private void refused(HeldLock heldLock, String request, long requested) {
        long responded = System.nanoTime();
        if (requested < heldLock.leaseEnd
                && responded < heldLock.leaseEnd
                && responded - requested < CONCLUSIVE_NANOS) {
            history.add(
                    new OperationHistory.Lost(
                            name,
                            heldLock.node,
                            heldLock.key,
                            request,
                            heldLock.granted,
                            requested,
                            responded));
        }
    }

    /** Renews the hold on another connection, which then owns it, and releases it there. */
    private boolean continueElsewhere(HeldLock heldLock) throws InterruptedException {
        try {
            connection();
            long requested = System.nanoTime();
            String response = request("n", heldLock.key, heldLock.token + " 15");
            if (!response.startsWith("ok ")) {
                return false;
            }
            heldLock.confirmed = requested;
            heldLock.leaseEnd = requested + TimeUnit.SECONDS.toNanos(15);
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
                        heldLock.requested,
                        heldLock.sent,
                        heldLock.enqueued,
                        heldLock.granted,
                        heldLock.confirmed,
                        Math.max(heldLock.granted, Math.min(when, heldLock.leaseEnd))));
    }
}
