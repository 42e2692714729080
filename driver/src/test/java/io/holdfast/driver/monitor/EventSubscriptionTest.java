package io.holdfast.driver.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.ClientInfo;
import io.holdfast.engine.Key;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

@DisplayName("A subscription")
class EventSubscriptionTest {
    private static final ClientInfo PEER = new ClientInfo("test", () -> "somebody");

    private final ServerMonitor serverMonitor = new ServerMonitor(1, () -> 7);
    private final AtomicInteger wakes = new AtomicInteger();

    private EventSubscription subscribe(int most) {
        return serverMonitor.subscribe(_ -> true, most, wakes::incrementAndGet);
    }

    private static ServerEvent opened(long session) {
        return new ServerEvent.SessionOpened(session, PEER, 7);
    }

    private static List<ServerEvent> take(EventSubscription eventSubscription) {
        List<ServerEvent> taken = new ArrayList<>();
        for (ServerEvent next = eventSubscription.poll();
                next != null;
                next = eventSubscription.poll()) {
            taken.add(next);
        }
        return taken;
    }

    @Test
    void a_subscription_gets_events_in_order_and_is_woken_once_until_it_was_drained() {
        EventSubscription eventSubscription = subscribe(10);
        serverMonitor.onSessionOpened(1, PEER);
        serverMonitor.onSessionOpened(2, PEER);
        serverMonitor.onSessionClosed(1, PEER);
        assertThat(wakes).hasValue(1);
        assertThat(eventSubscription.poll()).isEqualTo(opened(1));
        serverMonitor.onSessionOpened(3, PEER);
        assertThat(wakes).hasValue(1);
        assertThat(take(eventSubscription))
                .containsExactly(opened(2), new ServerEvent.SessionClosed(1, PEER, 7), opened(3));
        serverMonitor.onSessionOpened(4, PEER);
        assertThat(wakes).hasValue(2);
    }

    @Test
    void a_slow_subscription_gets_the_number_of_missed_events_where_they_are_missing() {
        EventSubscription eventSubscription = subscribe(2);
        for (int session = 1; session <= 5; session++) {
            serverMonitor.onSessionOpened(session, PEER);
        }
        assertThat(eventSubscription.poll()).isEqualTo(opened(1));
        serverMonitor.onSessionOpened(
                6, PEER); // fits into the queue, but would come before the gap
        assertThat(take(eventSubscription)).containsExactly(opened(2), new ServerEvent.Gap(4));
        serverMonitor.onSessionOpened(7, PEER);
        assertThat(take(eventSubscription)).containsExactly(opened(7));
    }

    @Test
    void a_subscription_misses_events_whose_keys_exceed_the_byte_limit() {
        EventSubscription eventSubscription = subscribe(1000);
        Key key = Key.of("k".repeat(64 * 1024));
        for (int i = 0; i < 20; i++) {
            serverMonitor.onEvent(
                    0,
                    new KeyEvent(
                            KeyEvent.Type.WAITING,
                            ResourceKind.LOCK,
                            key,
                            1,
                            ReadWriteMode.WRITE,
                            0,
                            7,
                            0,
                            0,
                            1,
                            1));
        }
        assertThat(take(eventSubscription)).hasSize(17).endsWith(new ServerEvent.Gap(4));
    }

    @Test
    void a_subscription_counts_only_events_of_its_filter_as_missed() {
        EventSubscription eventSubscription =
                serverMonitor.subscribe(
                        it -> it instanceof ServerEvent.SessionClosed, 1, wakes::incrementAndGet);
        serverMonitor.onSessionOpened(1, PEER);
        assertThat(wakes).hasValue(0);
        serverMonitor.onSessionClosed(1, PEER);
        serverMonitor.onSessionOpened(2, PEER);
        serverMonitor.onSessionClosed(2, PEER);
        assertThat(take(eventSubscription))
                .containsExactly(new ServerEvent.SessionClosed(1, PEER, 7), new ServerEvent.Gap(1));
    }

    @Test
    void a_subscription_that_is_closed_gets_nothing_more() {
        EventSubscription eventSubscription = subscribe(10);
        eventSubscription.close();
        serverMonitor.onSessionOpened(1, PEER);
        assertThat(take(eventSubscription)).isEmpty();
        assertThat(wakes).hasValue(0);
    }

    @Test
    void a_subscription_does_not_depend_on_another() {
        EventSubscription slow = subscribe(1);
        EventSubscription quick = subscribe(10);
        serverMonitor.onSessionOpened(1, PEER);
        serverMonitor.onSessionOpened(2, PEER);
        assertThat(take(quick)).containsExactly(opened(1), opened(2));
        assertThat(take(slow)).containsExactly(opened(1), new ServerEvent.Gap(1));
    }

    @Test
    void a_subscription_loses_no_wake_up_and_no_count_while_many_threads_publish()
            throws Exception {
        int tellers = 3;
        int each = 20_000;
        Semaphore bell = new Semaphore(0);
        EventSubscription eventSubscription = serverMonitor.subscribe(_ -> true, 64, bell::release);
        List<Thread> threads = new ArrayList<>();
        for (int teller = 1; teller <= tellers; teller++) {
            long first = (long) teller * each;
            threads.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        for (int i = 0; i < each; i++) {
                                            serverMonitor.onSessionOpened(first + i, PEER);
                                        }
                                    }));
        }
        long[] last = new long[tellers + 1];
        long seen = 0;
        long missed = 0;
        while (seen + missed < (long) tellers * each) {
            assertThat(bell.tryAcquire(60, TimeUnit.SECONDS)).as("woken").isTrue();
            for (ServerEvent next : take(eventSubscription)) {
                if (next instanceof ServerEvent.Gap(long count)) {
                    missed += count;
                } else {
                    long session = ((ServerEvent.SessionOpened) next).session();
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
        assertThat(eventSubscription.poll()).isNull();
    }
}
