package io.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.client.testing.FakeHoldfast;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

@DisplayName("Random schedules of a client")
class ClientSchedulePropertyTest {
    private static final int ROUNDS = 120;
    private static final int STEPS = 60;

    /** One acquire and its outcome. */
    private static final class Attempt {
        final String key;
        final AtomicInteger losses = new AtomicInteger();
        CompletableFuture<Hold> future = new CompletableFuture<>();
        boolean closed;
        boolean lostBeforeClose;

        Attempt(String key) {
            this.key = key;
        }

        boolean isHeld() {
            return hold() != null && hold().isHeld();
        }

        Hold hold() {
            return future.isDone() && !future.isCompletedExceptionally()
                    ? future.getNow(null)
                    : null;
        }

        void close() {
            if (!future.isDone()) {
                future.cancel(true);
            }
            if (hold() != null && !closed) {
                closed = true;
                lostBeforeClose = hold().lossReason().isPresent();
                hold().close();
            }
        }
    }

    private final List<Attempt> tries = new CopyOnWriteArrayList<>();
    private final Set<Holdfast> cut = new HashSet<>();
    private final List<String> violations = new CopyOnWriteArrayList<>();

    @Test
    void in_any_schedule_a_lock_has_one_holder_nothing_leaks_and_each_loss_is_reported_once() {
        for (long seed = 1; seed <= ROUNDS; seed++) {
            try {
                play(new Random(seed));
            } catch (Throwable e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    private void play(Random random) {
        tries.clear();
        cut.clear();
        try (var fake = new FakeHoldfast()) {
            var clients = List.of(fake.client("a"), fake.client("b"), fake.client("c"));
            for (int i = 0; i < STEPS; i++) {
                step(random, fake, clients);
                check();
            }
            tries.forEach(Attempt::close);
            clients.forEach(fake::reconnect);
            fake.advance(Duration.ZERO);
            assertThat(fake.inUse()).isZero();
            check();
        }
        for (var each : tries) {
            boolean lost = each.closed ? each.lostBeforeClose : each.losses.get() > 0;
            assertThat(each.losses.get()).isEqualTo(lost ? 1 : 0);
        }
    }

    private void step(Random random, FakeHoldfast fake, List<Holdfast> clients) {
        var client = clients.get(random.nextInt(clients.size()));
        switch (random.nextInt(10)) {
            case 0, 1, 2 -> acquire(random, client);
            case 3, 4 -> fake.advance(Duration.ofMillis(random.nextInt(15_000)));
            case 5 -> {
                fake.disconnect(client);
                cut.add(client);
            }
            case 6 -> {
                fake.reconnect(client);
                cut.remove(client);
            }
            case 7 -> any(random).ifPresent(Attempt::close);
            case 8 -> any(random).ifPresent(each -> each.future.cancel(true));
            default -> {
                if (random.nextBoolean()) {
                    fake.dropSession(client);
                    cut.remove(client);
                } else if (cut.isEmpty()) {
                    // A client without a connection would not be notified of the release.
                    fake.releaseByToken("k" + random.nextInt(2));
                }
            }
        }
    }

    private Optional<Attempt> any(Random random) {
        return tries.isEmpty()
                ? Optional.empty()
                : Optional.of(tries.get(random.nextInt(tries.size())));
    }

    private void acquire(Random random, Holdfast client) {
        var attempt = new Attempt("k" + random.nextInt(2));
        var lock =
                client.lock(attempt.key)
                        .lease(Duration.ofMillis(1 + random.nextInt(20_000)))
                        .renew(random.nextBoolean())
                        .onLost(reason -> attempt.losses.incrementAndGet());
        lock = random.nextInt(3) == 0 ? lock.unbound() : lock;
        tries.add(attempt);
        attempt.future = lock.acquireAsync(Duration.ofMillis(random.nextInt(30_000)));
        attempt.future.thenAccept(hold -> checkHolders("at a grant"));
    }

    private void check() {
        checkHolders("after a step");
        assertThat(violations).isEmpty();
        for (var each : tries) {
            assertThat(each.losses.get()).isLessThanOrEqualTo(1);
        }
    }

    private void checkHolders(String when) {
        for (var key : List.of("k0", "k1")) {
            var holders = new ArrayList<Attempt>();
            tries.stream()
                    .filter(each -> each.key.equals(key) && each.isHeld())
                    .forEach(holders::add);
            if (holders.size() > 1) {
                violations.add(holders.size() + " holders of " + key + " " + when);
            }
        }
    }
}
