package io.holdfast.driver.signal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/** Section 13.6, and 22.29 and 22.30. */
@DisplayName("A full listener")
class FullListenerTest {
    private final SignalScenario signals = new SignalScenario();
    private final TestListener alice = signals.person("alice");
    private final TestListener bob = signals.person("bob");
    private final TestListener carol = signals.person("carol");
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        threads.shutdownNow();
    }

    @Test
    void a_full_listener_without_a_group_is_skipped_and_overrun() {
        for (String pattern : List.of("a.b", "a.*")) {
            alice.listen(pattern);
            bob.listen(pattern);
            carol.listen(pattern);
            bob.setFull(true);
            assertThat(signals.receivers("a.b")).containsExactly("alice", "carol");
            assertThat(bob.takeOverruns()).isEqualTo(1);
            assertThat(signals.receivers("a.b")).containsExactly("alice", "carol");
            assertThat(bob.takeOverruns()).isEqualTo(1);
            bob.setFull(false);
            assertThat(signals.receivers("a.b")).containsExactly("alice", "bob", "carol");
            assertThat(bob.overruns()).isZero();
            List.of(alice, bob, carol).forEach(testListener -> testListener.unlisten(pattern));
        }
        assertThat(alice.overruns() + carol.overruns()).isZero();
    }

    @Test
    void a_full_listener_is_not_overrun_by_signals_on_other_channels() {
        alice.listen("a");
        alice.listen("a.*");
        alice.setFull(true);
        assertThat(signals.receivers("b")).isEmpty();
        assertThat(signals.receivers("b.a")).isEmpty();
        assertThat(alice.overruns()).isZero();
    }

    @Test
    void a_full_listener_leaves_the_signal_to_the_next_of_its_group_and_stays() {
        for (String pattern : List.of("a.b", "a.*")) {
            alice.listen(pattern, "workers");
            bob.listen(pattern, "workers");
            carol.listen(pattern, "workers");
            alice.setFull(true);
            assertThat(signals.receivers("a.b")).as("turn 0").containsExactly("bob");
            assertThat(signals.receivers("a.b")).as("turn 1").containsExactly("bob");
            assertThat(signals.receivers("a.b")).as("turn 2").containsExactly("carol");
            bob.setFull(true);
            assertThat(signals.receivers("a.b")).as("turn 3").containsExactly("carol");
            assertThat(signals.receivers("a.b")).as("turn 4").containsExactly("carol");
            alice.setFull(false);
            bob.setFull(false);
            assertThat(signals.receivers("a.b")).as("turn 5").containsExactly("carol");
            assertThat(signals.receivers("a.b")).as("turn 6").containsExactly("alice");
            List.of(alice, bob, carol)
                    .forEach(testListener -> testListener.unlisten(pattern, "workers"));
        }
        assertThat(alice.overruns() + bob.overruns() + carol.overruns()).isZero();
    }

    @Test
    void a_full_group_member_is_overrun_only_as_the_first_choice_of_a_full_group() {
        List<TestListener> members = List.of(alice, bob, carol);
        for (TestListener member : members) {
            member.listen("a", "workers");
            member.setFull(true);
        }
        for (int turn = 0; turn < 6; turn++) {
            assertThat(signals.receivers("a")).isEmpty();
            for (TestListener member : members) {
                assertThat(member.takeOverruns())
                        .as("%s at turn %d", member, turn)
                        .isEqualTo(member == members.get(turn % 3) ? 1 : 0);
            }
        }
    }

    @Test
    void a_full_group_member_is_the_first_choice_when_those_before_were_chosen_already() {
        alice.listen("a");
        for (TestListener member : List.of(alice, bob, carol)) {
            member.listen("a", "workers");
        }
        bob.setFull(true);
        carol.setFull(true);
        assertThat(signals.receivers("a")).containsExactly("alice");
        assertThat(bob.overruns()).isEqualTo(1);
        assertThat(carol.overruns()).isZero();
    }

    @Test
    void a_full_listener_is_not_marked_as_served_in_its_group() {
        alice.listen("a");
        alice.listen("a", "workers");
        bob.listen("a", "workers");
        alice.setFull(true);
        assertThat(signals.receivers("a")).containsExactly("bob");
        assertThat(alice.overruns()).isEqualTo(1);
    }

    @Test
    void a_full_listener_is_not_marked_as_served_in_a_full_group() {
        for (int crowd : new int[] {0, 30}) {
            SignalScenario scenario = new SignalScenario();
            for (int i = 0; i < crowd; i++) {
                scenario.person("p" + i).listen("a");
            }
            TestListener first = scenario.person("first");
            TestListener second = scenario.person("second");
            first.listen("a");
            first.listen("a", "workers");
            second.listen("a", "workers");
            first.setFull(true);
            second.setFull(true);
            assertThat(scenario.receivers("a")).hasSize(crowd);
            assertThat(first.overruns()).isPositive();
            assertThat(second.overruns()).isZero();
        }
    }

    @Test
    void a_full_listener_is_not_marked_as_served_for_later_steps() {
        AtomicBoolean called = new AtomicBoolean();
        SignalListener recovering =
                new Quiet() {
                    @Override
                    public boolean isFull() {
                        return !called.getAndSet(true);
                    }

                    @Override
                    public void overrun() {
                        throw new AssertionError("a full listener got the signal");
                    }
                };
        Subscriber subscriber = signals.hub.open(recovering);
        subscriber.listen(Key.of("a.b"), ByteString.EMPTY);
        subscriber.listen(Key.of("a.*"), ByteString.EMPTY);
        assertThat(signals.hub.choose(Key.of("a.b")).listeners()).containsExactly(recovering);
    }

    @Test
    void a_listener_is_overrun_after_the_lock_of_the_hub_is_released() throws Exception {
        Subscriber slow =
                signals.hub.open(
                        new Quiet() {
                            @Override
                            public boolean isFull() {
                                return true;
                            }

                            @Override
                            public void overrun() {
                                onAnotherThread(() -> bob.listen("a"));
                                onAnotherThread(() -> alice.close());
                                onAnotherThread(() -> signals.receivers("b"));
                            }
                        });
        alice.listen("a");
        slow.listen(Key.of("a"), ByteString.EMPTY);
        Future<List<String>> receivers = threads.submit(() -> signals.receivers("a"));
        assertThat(receivers.get(60, TimeUnit.SECONDS)).containsExactly("alice");
        slow.close();
        assertThat(signals.receivers("a")).containsExactly("bob");
    }

    @Test
    void a_slow_callback_of_a_listener_blocks_no_other_emitter() throws Exception {
        Subscriber thinking =
                signals.hub.open(
                        new Quiet() {
                            @Override
                            public boolean isFull() {
                                onAnotherThread(() -> signals.receivers("b"));
                                onAnotherThread(() -> signals.views());
                                return false;
                            }
                        });
        thinking.listen(Key.of("a"), ByteString.EMPTY);
        Future<List<SignalListener>> receivers =
                threads.submit(() -> signals.hub.choose(Key.of("a")).listeners());
        assertThat(receivers.get(60, TimeUnit.SECONDS)).hasSize(1);
    }

    /** Waits for another thread; fails if that hangs. */
    private void onAnotherThread(Runnable task) {
        try {
            threads.submit(task).get(60, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("the hub was locked", e);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** A listener that is not full and ignores signals. */
    private abstract static class Quiet implements SignalListener {
        @Override
        public boolean isFull() {
            return false;
        }

        @Override
        public void deliver(Signal signal) {}

        @Override
        public void overrun() {}
    }
}
