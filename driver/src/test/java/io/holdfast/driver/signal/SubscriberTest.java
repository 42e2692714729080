package io.holdfast.driver.signal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.memory.MemoryBudget;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Sections 13.2 and 13.3. */
@DisplayName("A subscriber")
class SubscriberTest {
    private final SignalScenario signals = new SignalScenario();
    private final TestListener alice = signals.person("alice");
    private final TestListener bob = signals.person("bob");

    @Test
    void listening_twice_to_a_pattern_registers_once() {
        for (String pattern : List.of("a", "*")) {
            for (String group : List.of("", "workers")) {
                assertThat(alice.listen(pattern, group)).isEqualTo(ListenOutcome.LISTENING);
                int taken = signals.budget.taken();
                assertThat(alice.listen(pattern, group)).isEqualTo(ListenOutcome.LISTENING);
                assertThat(signals.budget.taken()).isEqualTo(taken);
                assertThat(signals.views())
                        .containsExactly(new ChannelView(Key.of(pattern), ByteString.of(group), 1));
                assertThat(signals.receivers("a")).containsExactly("alice");
                alice.unlisten(pattern, group);
                assertThat(signals.receivers("a")).isEmpty();
                signals.assertEmpty();
            }
        }
    }

    @Test
    void listening_twice_to_a_pattern_keeps_the_order() {
        alice.listen("a", "workers");
        bob.listen("a", "workers");
        alice.listen("a", "workers");
        assertThat(signals.receivers("a")).containsExactly("alice");
        assertThat(signals.receivers("a")).containsExactly("bob");
        assertThat(signals.receivers("a")).containsExactly("alice");
    }

    @Test
    void a_subscriber_ends_exactly_the_registration_of_that_pattern_and_group() {
        String[][] all = {
            {"a.b", ""},
            {"a.b", "one"},
            {"a.b", "two"},
            {"a.*", ""},
            {"a.*", "one"},
            {"a.>", ""},
            {"a.>", "one"},
            {">", ""},
            {"*.*", "one"}
        };
        for (String[] gone : all) {
            for (String[] topic : all) {
                alice.listen(topic[0], topic[1]);
                bob.listen(topic[0], topic[1]);
            }
            alice.unlisten(gone[0], gone[1]);
            for (ChannelView view : signals.views()) {
                boolean ended =
                        view.pattern().equals(Key.of(gone[0]))
                                && view.group().equals(ByteString.of(gone[1]));
                assertThat(view.listeners()).as("%s", view).isEqualTo(ended ? 1 : 2);
            }
            alice.unlisten(gone[0], gone[1]); // repeating it changes nothing
            assertThat(signals.views()).hasSize(all.length);
            for (String[] topic : all) {
                alice.unlisten(topic[0], topic[1]);
                bob.unlisten(topic[0], topic[1]);
            }
            signals.assertEmpty();
        }
    }

    @Test
    void a_subscriber_ends_no_registration_of_another() {
        alice.listen("a");
        alice.listen("*", "workers");
        bob.unlisten("a");
        bob.unlisten("*", "workers");
        bob.unlisten("*");
        assertThat(signals.views()).hasSize(2);
    }

    @Test
    void removing_a_subscriber_keeps_the_order_of_the_others() {
        List<TestListener> people =
                List.of("p0", "p1", "p2", "p3", "p4").stream().map(signals::person).toList();
        for (TestListener leaving : people) {
            people.forEach(testListener -> testListener.listen("a"));
            leaving.unlisten("a");
            assertThat(signals.receivers("a"))
                    .containsExactlyElementsOf(
                            people.stream()
                                    .filter(testListener -> testListener != leaving)
                                    .map(TestListener::toString)
                                    .toList());
            people.forEach(testListener -> testListener.unlisten("a"));
        }
    }

    @Test
    void a_subscriber_is_refused_beyond_its_limit() {
        SignalScenario few = new SignalScenario(3);
        TestListener carol = few.person("carol");
        assertThat(carol.listen("a")).isEqualTo(ListenOutcome.LISTENING);
        assertThat(carol.listen("a", "workers")).isEqualTo(ListenOutcome.LISTENING);
        assertThat(carol.listen("a.*")).isEqualTo(ListenOutcome.LISTENING);
        int taken = few.budget.taken();
        assertThat(carol.listen("b")).isEqualTo(ListenOutcome.LIMIT_REACHED);
        assertThat(carol.listen("a.>")).isEqualTo(ListenOutcome.LIMIT_REACHED);
        assertThat(carol.listen("a")).isEqualTo(ListenOutcome.LISTENING);
        assertThat(carol.listen("a", "workers")).isEqualTo(ListenOutcome.LISTENING);
        assertThat(carol.listen("a.*")).isEqualTo(ListenOutcome.LISTENING);
        assertThat(carol.listen("a*")).isEqualTo(ListenOutcome.INVALID_PATTERN);
        assertThat(few.budget.taken()).isEqualTo(taken);
        assertThat(few.receivers("b")).isEmpty();
        assertThat(few.views()).hasSize(3);
        assertThat(few.person("dave").listen("b"))
                .as("its own cap")
                .isEqualTo(ListenOutcome.LISTENING);
        carol.unlisten("a");
        assertThat(carol.listen("b")).isEqualTo(ListenOutcome.LISTENING);
        assertThat(carol.listen("a")).isEqualTo(ListenOutcome.LIMIT_REACHED);
    }

    @Test
    void a_limit_of_zero_registrations_is_no_limit() {
        for (int i = 0; i < 10_000; i++) {
            assertThat(alice.listen("a" + i)).isEqualTo(ListenOutcome.LISTENING);
        }
    }

    @Test
    void a_registration_beyond_the_memory_budget_is_refused_and_reserves_nothing() {
        alice.listen("known");
        alice.listen("known.*");
        int taken = signals.budget.taken();
        for (String pattern : List.of("new", "*.new", "a.b.c.d.>")) {
            signals.budget.leave(0);
            int left = 0;
            while (alice.listen(pattern) == ListenOutcome.LIMIT_REACHED) {
                assertThat(signals.budget.taken())
                        .as("%s with %d left", pattern, left)
                        .isEqualTo(taken);
                assertThat(signals.views()).hasSize(2);
                assertThat(alice.listen("known")).isEqualTo(ListenOutcome.LISTENING);
                assertThat(alice.listen("known.*")).isEqualTo(ListenOutcome.LISTENING);
                signals.budget.leave(++left);
                assertThat(left).isLessThan(20);
            }
            assertThat(left).as("what a registration of %s takes", pattern).isPositive();
            assertThat(signals.budget.taken()).isEqualTo(taken + left);
            alice.unlisten(pattern);
            assertThat(signals.budget.taken()).isEqualTo(taken);
        }
    }

    @Test
    void a_pattern_with_more_tokens_reserves_more_memory() {
        alice.listen("a.b.c.*");
        int few = signals.budget.taken();
        bob.listen("a.b.c.d.e.f.g.h.*");
        assertThat(signals.budget.taken() - few).isGreaterThan(few);
    }

    @Test
    void a_subscriber_releases_all_memory_after_any_history() {
        Random random = new Random(20_261_115);
        String[] patterns = {"a", "b", "a.b", "*", "a.*", "*.b", ">", "a.>", "a.*.>", "a*", ">.a"};
        String[] groups = {"", "", "one", "two"};
        for (int run = 0; run < 50; run++) {
            SignalScenario scenario = new SignalScenario(run % 3 == 0 ? 4 : 0);
            List<TestListener> people =
                    List.of(scenario.person("p0"), scenario.person("p1"), scenario.person("p2"));
            for (int i = 0; i < 400; i++) {
                TestListener testListener = people.get(random.nextInt(people.size()));
                String pattern = patterns[random.nextInt(patterns.length)];
                String group = groups[random.nextInt(groups.length)];
                switch (random.nextInt(12)) {
                    case 0, 1, 2 -> testListener.unlisten(pattern, group);
                    case 3 -> {
                        testListener.close();
                        testListener.reopen();
                    }
                    case 4 -> scenario.budget.leave(random.nextInt(12));
                    default -> testListener.listen(pattern, group);
                }
            }
            people.forEach(TestListener::close);
            scenario.assertEmpty();
        }
    }

    @Test
    void a_closed_subscriber_gets_no_signals_and_cannot_listen_again() {
        alice.listen("a");
        alice.listen("a", "workers");
        alice.listen("a.*");
        bob.listen("a");
        alice.close();
        assertThat(signals.receivers("a")).containsExactly("bob");
        assertThat(signals.receivers("a.b")).isEmpty();
        assertThat(alice.listen("a")).isEqualTo(ListenOutcome.CLOSED);
        assertThat(alice.listen("b.*", "workers")).isEqualTo(ListenOutcome.CLOSED);
        alice.unlisten("a");
        alice.close();
        assertThat(signals.receivers("a")).containsExactly("bob");
        bob.close();
        signals.assertEmpty();
    }

    @Test
    void a_subscriber_that_never_listened_can_be_closed_too() {
        alice.close();
        assertThat(alice.listen("a")).isEqualTo(ListenOutcome.CLOSED);
        signals.assertEmpty();
    }

    @Test
    void a_subscriber_with_thousands_of_registrations_ends_all_of_them() {
        bob.listen("a.7");
        bob.listen("w7.*", "workers");
        for (int i = 0; i < 3_000; i++) {
            alice.listen("a." + i);
            alice.listen("w" + i + ".*", "workers");
        }
        assertThat(signals.views()).hasSize(6_000);
        alice.close();
        assertThat(signals.views()).hasSize(2);
        assertThat(signals.receivers("a.8")).isEmpty();
        assertThat(signals.receivers("a.7")).containsExactly("bob");
        bob.close();
        signals.assertEmpty();
    }

    @Test
    void a_subscriber_is_small_up_to_one_slice() {
        assertThat(alice.isSmall()).isTrue();
        for (int i = 0; i < 100; i++) {
            alice.listen("a" + i);
        }
        assertThat(alice.isSmall()).isTrue();
        for (int i = 0; i < 10_000; i++) {
            alice.listen("b" + i);
        }
        assertThat(alice.isSmall()).isFalse();
        alice.close();
        assertThat(alice.isSmall()).isTrue();
    }

    @Test
    void a_subscriber_with_many_registrations_does_not_block_others_while_it_closes()
            throws InterruptedException {
        // Which thread gets a lock that is free for a moment is random, so there are many tries.
        // If all were ended under one lock, no thread could ever observe a part of them ended.
        boolean seen = false;
        for (int i = 0; i < 50 && !seen; i++) {
            seen = seesAnEndHalfWay();
        }
        assertThat(seen).isTrue();
    }

    private static boolean seesAnEndHalfWay() throws InterruptedException {
        int registrations = 20_000;
        CountDownLatch begun = new CountDownLatch(1);
        AtomicInteger given = new AtomicInteger();
        MemoryBudget memoryBudget =
                new MemoryBudget() {
                    @Override
                    public boolean tryReserve(long bytes) {
                        return true;
                    }

                    @Override
                    public void reserve(long bytes) {}

                    @Override
                    public void release(long bytes) {
                        begun.countDown();
                        given.incrementAndGet();
                    }
                };
        SignalHub hub = new SignalHub(0, memoryBudget);
        TestListener many = new TestListener("many", hub);
        for (int i = 0; i < registrations; i++) {
            many.listen("a" + i);
        }
        Thread ending = Thread.ofPlatform().start(many::close);
        begun.await(); // the lock has been acquired by now
        boolean seen = false;
        while (!seen && given.get() < registrations) {
            hub.choose(Key.of("a1"));
            int gone = given.get();
            seen = gone > 0 && gone < registrations;
        }
        ending.join();
        assertThat(given).hasValue(registrations);
        return seen;
    }
}
