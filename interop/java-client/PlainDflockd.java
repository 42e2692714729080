import io.holdfast.client.AcquireTimeoutException;
import io.holdfast.client.Hold;
import io.holdfast.client.Holdfast;
import io.holdfast.client.HoldfastBuilder;
import io.holdfast.client.UnsupportedByServerException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Tests Holdfast's client against the original dflockd. The first argument is its address; with a
 * second one, {@code plain}, the client does not try to negotiate tagged mode. Prints a line for
 * each test.
 */
class PlainDflockd {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private interface Check {
        void run(Holdfast holdfast) throws Exception;
    }

    public static void main(String[] args) throws InterruptedException {
        Map<String, Check> checks = new LinkedHashMap<>();
        checks.put("the_client_detects_missing_features", PlainDflockd::features);
        checks.put("locks_exclude_each_other", PlainDflockd::exclusion);
        checks.put("an_acquire_times_out", PlainDflockd::timeout);
        checks.put("waiters_are_granted_in_order", PlainDflockd::order);
        checks.put("more_acquires_than_connections_never_overlap", PlainDflockd::manyAcquires);
        checks.put("holds_are_renewed_beyond_their_lease", PlainDflockd::renewal);
        checks.put("a_semaphore_has_as_many_holders_as_its_limit", PlainDflockd::semaphore);
        checks.put("an_enqueued_acquire_is_granted", PlainDflockd::twoPhase);
        checks.put("a_cancelled_wait_leaves_the_queue", PlainDflockd::cancelled);
        checks.put("a_multi_lock_acquires_all_keys_or_none", PlainDflockd::multi);
        int failures = 0;
        for (Map.Entry<String, Check> check : checks.entrySet()) {
            HoldfastBuilder builder = Holdfast.builder().address(args[0]).maxConnections(6);
            try (Holdfast holdfast = (args.length > 1 ? builder.plain() : builder).connect()) {
                check.getValue().run(holdfast);
                System.out.println("PASSED " + check.getKey());
            } catch (Exception | AssertionError e) {
                System.out.println("FAILED " + check.getKey());
                e.printStackTrace(System.out);
                failures++;
            }
        }
        System.exit(failures == 0 ? 0 : 1);
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    private static void features(Holdfast holdfast) throws Exception {
        check(!holdfast.features().tagged(), "the server has tagged mode: it is not a plain dflockd");
        try (Hold hold = holdfast.lock("jc-features").acquire(TIMEOUT)) {
            check(hold.fence().isEmpty(), "there is a fence");
        }
        try {
            holdfast.readWriteLock("jc-features").read().acquire(TIMEOUT).close();
            check(false, "there are read locks");
        } catch (UnsupportedByServerException e) {
            check(e.isRetrySafe(), "something was sent");
        }
    }

    private static void exclusion(Holdfast holdfast) throws Exception {
        try (Hold hold = holdfast.lock("jc-exclusion").acquire(TIMEOUT)) {
            check(hold.isHeld(), "not held");
            check(holdfast.lock("jc-exclusion").tryAcquire().isEmpty(), "two hold it");
        }
        holdfast.lock("jc-exclusion").acquire(TIMEOUT).close();
    }

    private static void timeout(Holdfast holdfast) throws Exception {
        try (Hold hold = holdfast.lock("jc-timeout").acquire(TIMEOUT)) {
            holdfast.lock("jc-timeout").acquire(Duration.ofSeconds(1)).close();
            check(false, "two hold it, the first " + hold);
        } catch (AcquireTimeoutException e) {
            check(e.isRetrySafe(), "not safe to try again");
        }
    }

    private static void order(Holdfast holdfast) throws Exception {
        List<Integer> served = new CopyOnWriteArrayList<>();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        try (Hold first = holdfast.lock("jc-order").acquire(TIMEOUT)) {
            for (int i = 0; i < 3; i++) {
                int number = i;
                all.add(
                        holdfast.lock("jc-order")
                                .acquireAsync(TIMEOUT)
                                .thenAccept(
                                        hold -> {
                                            served.add(number);
                                            hold.close();
                                        }));
                awaitWaiters(holdfast, "jc-order", i + 1);
            }
            check(first.isHeld(), "lost");
        }
        for (CompletableFuture<Void> one : all) {
            one.get(20, TimeUnit.SECONDS);
        }
        check(served.equals(List.of(0, 1, 2)), "served in the order " + served);
    }

    private static void awaitWaiters(Holdfast holdfast, String key, long count)
            throws InterruptedException {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (holdfast.info(key).lock().orElseThrow().waiters() != count) {
            check(System.nanoTime() < deadline, "no " + count + " waiters");
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    private static void manyAcquires(Holdfast holdfast) throws Exception {
        AtomicInteger inside = new AtomicInteger();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            all.add(
                    holdfast.lock("jc-many")
                            .acquireAsync(TIMEOUT)
                            .thenAccept(
                                    hold -> {
                                        check(inside.incrementAndGet() == 1, "two inside");
                                        inside.decrementAndGet();
                                        hold.close();
                                    }));
        }
        for (CompletableFuture<Void> one : all) {
            one.get(30, TimeUnit.SECONDS);
        }
    }

    private static void renewal(Holdfast holdfast) throws Exception {
        try (Hold hold =
                holdfast.lock("jc-renewal").lease(Duration.ofSeconds(1)).acquire(TIMEOUT)) {
            check(
                    holdfast.lock("jc-renewal").tryAcquire(Duration.ofSeconds(3)).isEmpty(),
                    "another acquire was granted");
            check(hold.isHeld(), "lost");
        }
    }

    private static void semaphore(Holdfast holdfast) throws Exception {
        try (Hold one = holdfast.semaphore("jc-semaphore", 2).acquire(TIMEOUT);
                Hold two = holdfast.semaphore("jc-semaphore", 2).acquire(TIMEOUT)) {
            check(one.isHeld() && two.isHeld(), "not held");
            check(holdfast.semaphore("jc-semaphore", 2).tryAcquire().isEmpty(), "three hold it");
        }
    }

    private static void twoPhase(Holdfast holdfast) throws Exception {
        Hold first = holdfast.lock("jc-two").acquire(TIMEOUT);
        try (var place = holdfast.lock("jc-two").enqueue()) {
            awaitWaiters(holdfast, "jc-two", 1);
            check(!place.isGranted(), "granted too soon");
            first.close();
            try (Hold second = place.await(TIMEOUT)) {
                check(second.isHeld(), "not held");
            }
        }
    }

    private static void cancelled(Holdfast holdfast) throws Exception {
        try (Hold first = holdfast.lock("jc-cancel").acquire(TIMEOUT)) {
            CompletableFuture<Hold> second = holdfast.lock("jc-cancel").acquireAsync(TIMEOUT);
            awaitWaiters(holdfast, "jc-cancel", 1);
            second.cancel(true);
            awaitWaiters(holdfast, "jc-cancel", 0);
            check(first.isHeld(), "lost");
        }
        holdfast.lock("jc-cancel").acquire(TIMEOUT).close();
    }

    private static void multi(Holdfast holdfast) throws Exception {
        try (Hold both = holdfast.multiLock("jc-m2", "jc-m1").acquire(TIMEOUT)) {
            check(both.parts().size() == 2, "not two parts");
            check(holdfast.lock("jc-m1").tryAcquire().isEmpty(), "the first is free");
            check(
                    holdfast.multiLock("jc-m0", "jc-m2").tryAcquire().isEmpty(),
                    "the second is free");
            holdfast.lock("jc-m0").acquire(TIMEOUT).close();
        }
    }
}
