package io.holdfast.driver.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.Peer;
import io.holdfast.engine.Event;
import io.holdfast.engine.Key;
import io.holdfast.engine.Kind;
import io.holdfast.engine.Mode;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

@DisplayName("A subscription")
class SubscriptionTest {
    private static final Peer PEER = new Peer("test", () -> "somebody");

    private final Observatory observatory = new Observatory(1, () -> 7);
    private final AtomicInteger wakes = new AtomicInteger();

    private Subscription subscribe(int most) {
        return observatory.subscribe(_ -> true, most, wakes::incrementAndGet);
    }

    private static Happening opened(long session) {
        return new Happening.Opened(session, PEER, 7);
    }

    private static List<Happening> take(Subscription subscription) {
        List<Happening> taken = new ArrayList<>();
        for (Happening next = subscription.poll(); next != null; next = subscription.poll()) {
            taken.add(next);
        }
        return taken;
    }

    @Test
    void gets_what_happens_in_order_and_is_woken_once_until_it_has_taken_all() {
        Subscription subscription = subscribe(10);
        observatory.opened(1, PEER);
        observatory.opened(2, PEER);
        observatory.closed(1, PEER);
        assertThat(wakes).hasValue(1);
        assertThat(subscription.poll()).isEqualTo(opened(1));
        observatory.opened(3, PEER);
        assertThat(wakes).hasValue(1);
        assertThat(take(subscription))
                .containsExactly(opened(2), new Happening.Closed(1, PEER, 7), opened(3));
        observatory.opened(4, PEER);
        assertThat(wakes).hasValue(2);
    }

    @Test
    void that_is_too_slow_is_told_how_much_it_missed_where_it_missed_it() {
        Subscription subscription = subscribe(2);
        for (int session = 1; session <= 5; session++) {
            observatory.opened(session, PEER);
        }
        assertThat(subscription.poll()).isEqualTo(opened(1));
        observatory.opened(6, PEER); // there is room, but it would come before the gap
        assertThat(take(subscription)).containsExactly(opened(2), new Happening.Gap(4));
        observatory.opened(7, PEER);
        assertThat(take(subscription)).containsExactly(opened(7));
    }

    @Test
    void that_is_too_slow_for_long_keys_misses_them_too() {
        Subscription subscription = subscribe(1000);
        Key key = Key.of("k".repeat(64 * 1024));
        for (int i = 0; i < 20; i++) {
            observatory.happened(
                    0,
                    new Event(
                            Event.Type.WAITING, Kind.MUTEX, key, 1, Mode.WRITE, 0, 7, 0, 0, 1, 1));
        }
        assertThat(take(subscription)).hasSize(17).endsWith(new Happening.Gap(4));
    }

    @Test
    void counts_as_missed_only_what_it_wants() {
        Subscription subscription =
                observatory.subscribe(
                        it -> it instanceof Happening.Closed, 1, wakes::incrementAndGet);
        observatory.opened(1, PEER);
        assertThat(wakes).hasValue(0);
        observatory.closed(1, PEER);
        observatory.opened(2, PEER);
        observatory.closed(2, PEER);
        assertThat(take(subscription))
                .containsExactly(new Happening.Closed(1, PEER, 7), new Happening.Gap(1));
    }

    @Test
    void that_is_closed_gets_nothing_more() {
        Subscription subscription = subscribe(10);
        subscription.close();
        observatory.opened(1, PEER);
        assertThat(take(subscription)).isEmpty();
        assertThat(wakes).hasValue(0);
    }

    @Test
    void of_one_does_not_depend_on_another() {
        Subscription slow = subscribe(1);
        Subscription quick = subscribe(10);
        observatory.opened(1, PEER);
        observatory.opened(2, PEER);
        assertThat(take(quick)).containsExactly(opened(1), opened(2));
        assertThat(take(slow)).containsExactly(opened(1), new Happening.Gap(1));
    }

    @Test
    void loses_no_wake_up_and_accounts_for_everything_while_many_threads_tell() throws Exception {
        int tellers = 3;
        int each = 20_000;
        Semaphore bell = new Semaphore(0);
        Subscription subscription = observatory.subscribe(_ -> true, 64, bell::release);
        List<Thread> threads = new ArrayList<>();
        for (int teller = 1; teller <= tellers; teller++) {
            long first = (long) teller * each;
            threads.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        for (int i = 0; i < each; i++) {
                                            observatory.opened(first + i, PEER);
                                        }
                                    }));
        }
        long[] last = new long[tellers + 1];
        long seen = 0;
        long missed = 0;
        while (seen + missed < (long) tellers * each) {
            assertThat(bell.tryAcquire(60, TimeUnit.SECONDS)).as("woken").isTrue();
            for (Happening next : take(subscription)) {
                if (next instanceof Happening.Gap(long count)) {
                    missed += count;
                } else {
                    long session = ((Happening.Opened) next).session();
                    int teller = (int) (session / each);
                    assertThat(session).isGreaterThan(last[teller]);
                    last[teller] = session;
                    seen++;
                }
            }
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(seen + missed).isEqualTo((long) tellers * each);
        assertThat(subscription.poll()).isNull();
    }
}
