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
final class LockClient extends Client {
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
            History history,
            SplittableRandom random,
            CountDownLatch end,
            List<String> keys,
            boolean inTwoPhases) {
        super(name, nodes, node, history, random, end);
        this.keys = keys;
        this.inTwoPhases = inTwoPhases;
    }

    /** A lock while it is held. */
    private static final class Held {
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

        Held(int node, String key, String token, long asked, long sent, long inLine, long lease) {
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
        Held held = inTwoPhases ? enqueue(key, wait, lease) : acquire(key, wait, lease);
        if (held != null) {
            hold(held, lease);
        }
        rest(40);
    }

    private @Nullable Held acquire(String key, int wait, int lease)
            throws IOException, InterruptedException {
        LineSocket at = connection();
        long asked = System.nanoTime();
        String answer = ask("l", key, wait + " " + lease, wait);
        return granted(at, key, answer, "ok ", asked, at.sent(), Hold.NEVER, lease, asked, wait);
    }

    private @Nullable Held enqueue(String key, int wait, int lease)
            throws IOException, InterruptedException {
        LineSocket at = connection();
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

    private @Nullable Held granted(
            LineSocket at,
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
            return new Held(
                    at.node(), key, token, asked, sent, inLine, TimeUnit.SECONDS.toNanos(lease));
        }
        if (answer.equals("timeout")) {
            history.add(
                    new History.TimedOut(
                            name, key, waits, System.nanoTime(), TimeUnit.SECONDS.toNanos(wait)));
        } else if (answer.equals("error_already_enqueued") && overslept.contains(key)) {
            drop();
        } else if (!answer.equals("error") && !answer.equals("error_draining")) {
            history.fault(name + " wanted " + key + " and was told: " + answer);
        }
        return null;
    }

    private void hold(Held held, int lease) throws IOException, InterruptedException {
        boolean renews = random.nextInt(3) == 0;
        try {
            if (random.nextInt(12) == 0 && lease <= 4) {
                sleepOver(held);
                return;
            }
            hold(random.nextInt(8) == 0 ? 800 : 60);
            if (renews) {
                renew(held, random.nextInt(3, 20));
                hold(60);
            }
            release(held);
        } catch (IOException e) {
            long lost = System.nanoTime();
            drop();
            if (held.over || random.nextBoolean() || !takeOver(held)) {
                end(held, lost);
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
    private void sleepOver(Held held) throws IOException, InterruptedException {
        long left = held.leaseEnd - System.nanoTime();
        if (left > 0) {
            if (connection().endsWithin((int) TimeUnit.NANOSECONDS.toMillis(left))) {
                throw new IOException("sent away while holding");
            }
        }
        end(held, Hold.NEVER);
        overslept.add(held.key);
    }

    private void renew(Held held, int lease) throws IOException, InterruptedException {
        long asked = System.nanoTime();
        String answer = ask("n", held.key, held.token + " " + lease);
        if (answer.startsWith("ok ")) {
            held.confirmed = asked;
            held.leaseEnd = asked + TimeUnit.SECONDS.toNanos(lease);
        } else {
            refused(held, "renew", asked);
        }
    }

    private void release(Held held) throws IOException, InterruptedException {
        long asked = System.nanoTime();
        String answer;
        try {
            answer = ask("r", held.key, held.token);
        } catch (IOException e) {
            end(held, asked);
            throw e;
        }
        if (answer.equals("ok")) {
            held.confirmed = asked;
        } else {
            refused(held, "release", asked);
            drop(); // it may still be held, and nobody can get in line for what it holds
        }
        end(held, asked);
    }

    private void refused(Held held, String request, long asked) {
        long answered = System.nanoTime();
        if (asked < held.leaseEnd && answered < held.leaseEnd && answered - asked < SWIFT) {
            history.add(
                    new History.Lost(
                            name, held.node, held.key, request, held.granted, asked, answered));
        }
    }

    /** Renews by another connection: the lock is then that one's. */
    private boolean takeOver(Held held) throws InterruptedException {
        try {
            connection();
            long asked = System.nanoTime();
            String answer = ask("n", held.key, held.token + " 15");
            if (!answer.startsWith("ok ")) {
                return false;
            }
            held.confirmed = asked;
            held.leaseEnd = asked + TimeUnit.SECONDS.toNanos(15);
            release(held);
            return true;
        } catch (IOException e) {
            drop();
            return false;
        }
    }

    private void end(Held held, long when) {
        if (held.over) {
            return;
        }
        held.over = true;
        history.add(
                new Hold(
                        name,
                        held.node,
                        held.key,
                        Long.parseUnsignedLong(held.token, 0, 16, 16),
                        held.asked,
                        held.sent,
                        held.inLine,
                        held.granted,
                        held.confirmed,
                        Math.max(held.granted, Math.min(when, held.leaseEnd))));
    }
}
