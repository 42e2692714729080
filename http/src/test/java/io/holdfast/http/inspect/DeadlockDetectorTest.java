package io.holdfast.http.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.holdfast.http.inspect.DeadlockDetector.Holders;
import io.holdfast.http.inspect.DeadlockDetector.Step;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

@DisplayName("Deadlocks")
class DeadlockDetectorTest {
    private final Map<ResourceKey, Holders> holders = new HashMap<>();
    private final Map<Long, List<ResourceKey>> waits = new HashMap<>();
    private final Set<Long> concurrent = new HashSet<>();

    @Test
    void two_sessions_that_wait_for_each_other_are_a_cycle() {
        held(lock("a"), 1);
        held(lock("b"), 2);
        waiting(1, lock("b"));
        waiting(2, lock("a"));

        assertThat(cycles()).containsExactly(List.of(step(1, lock("b")), step(2, lock("a"))));
    }

    @Test
    void a_session_that_waits_for_a_lock_it_holds_is_a_cycle_of_one() {
        held(lock("a"), 7);
        waiting(7, lock("a"));

        assertThat(cycles()).containsExactly(List.of(step(7, lock("a"))));
    }

    @Test
    void a_chain_that_ends_with_a_session_that_can_proceed_is_no_deadlock() {
        held(lock("a"), 1);
        held(lock("b"), 2);
        held(lock("c"), 3);
        waiting(1, lock("b"));
        waiting(2, lock("c"));

        assertThat(deadlocks().stuck()).isEmpty();
        assertThat(cycles()).isEmpty();
    }

    @Test
    void a_session_that_waits_for_a_member_of_a_cycle_is_stuck_but_not_part_of_it() {
        held(lock("a"), 1);
        held(lock("b"), 2);
        waiting(1, lock("b"));
        waiting(2, lock("a"));
        waiting(3, lock("a"));

        assertThat(deadlocks().stuck()).containsExactly(1L, 2L, 3L);
        assertThat(cycles())
                .hasSize(1)
                .first()
                .asInstanceOf(InstanceOfAssertFactories.LIST)
                .hasSize(2);
    }

    @Test
    void one_stuck_reader_blocks_a_writer() {
        held(lock("a"), 1, 2, 3);
        held(lock("b"), 4);
        waiting(4, lock("a"));
        waiting(3, lock("b"));

        assertThat(cycles()).containsExactly(List.of(step(3, lock("b")), step(4, lock("a"))));
    }

    @Test
    void a_wait_for_a_semaphore_can_be_granted_if_one_holder_can_proceed() {
        held(slots("s"), 1, 2);
        held(lock("a"), 3);
        waiting(1, lock("a"));
        waiting(3, slots("s"));

        assertThat(deadlocks().stuck()).isEmpty();
    }

    @Test
    void a_semaphore_whose_holders_are_all_stuck_is_in_a_cycle() {
        held(slots("s"), 1, 2);
        held(lock("a"), 3);
        waiting(1, lock("a"));
        waiting(2, lock("a"));
        waiting(3, slots("s"));

        assertThat(deadlocks().stuck()).containsExactly(1L, 2L, 3L);
        assertThat(cycles()).containsExactly(List.of(step(1, lock("a")), step(3, slots("s"))));
    }

    @Test
    void a_session_with_two_waits_can_proceed_if_one_of_them_can_be_granted() {
        held(lock("a"), 1);
        held(lock("b"), 2);
        held(lock("c"), 3);
        waiting(1, lock("b"));
        waiting(2, lock("a"), lock("c"));

        assertThat(deadlocks().stuck()).isEmpty();
    }

    @Test
    void unknown_holders_are_assumed_to_proceed() {
        holders.put(slots("s"), new Holders(List.of(1L), false));
        waiting(1, slots("s"));

        assertThat(deadlocks().stuck()).isEmpty();
    }

    @Test
    void a_lock_without_holders_will_be_granted() {
        held(lock("suspended"));
        waiting(1, lock("suspended"), lock("unknown"));

        assertThat(deadlocks().stuck()).isEmpty();
    }

    @Test
    void a_ring_of_a_hundred_thousand_sessions_is_one_cycle() {
        int many = 100_000;
        for (int i = 0; i < many; i++) {
            held(lock("ring" + i), i);
            waiting(i, lock("ring" + (i + 1) % many));
        }

        assertThat(cycles())
                .hasSize(1)
                .first()
                .asInstanceOf(InstanceOfAssertFactories.LIST)
                .hasSize(many);
    }

    @Test
    void no_more_cycles_are_returned_than_requested() {
        for (int i = 0; i < 10; i++) {
            held(lock("a" + i), i);
            waiting(i, lock("a" + i));
        }

        assertThat(deadlocks().cycles(3)).hasSize(3);
    }

    @Test
    void a_concurrent_session_does_not_block_itself() {
        concurrent.add(7L);
        held(lock("a"), 7);
        held(slots("s"), 7, 8);
        waiting(7, lock("a"), slots("s"));
        waiting(8, lock("a"));

        assertThat(deadlocks().stuck()).isEmpty();
    }

    @Test
    void a_concurrent_session_is_blocked_by_another_reader_but_not_by_itself() {
        concurrent.add(1L);
        held(lock("a"), 1, 2);
        held(lock("b"), 1);
        waiting(1, lock("a"));
        assertThat(deadlocks().stuck()).isEmpty();

        waiting(2, lock("b"));
        assertThat(cycles()).containsExactly(List.of(step(1, lock("a")), step(2, lock("b"))));
    }

    @Test
    void a_wait_for_itself_does_not_hide_a_cycle_with_others() {
        concurrent.add(1L);
        held(lock("a"), 1);
        held(lock("b"), 2);
        waiting(1, lock("a"), lock("b"));
        waiting(2, lock("a"));

        assertThat(cycles()).containsExactly(List.of(step(1, lock("b")), step(2, lock("a"))));
    }

    private DeadlockDetector deadlocks() {
        return new DeadlockDetector(holders, waits, concurrent::contains);
    }

    private List<List<Step>> cycles() {
        return deadlocks().cycles(100);
    }

    private void held(ResourceKey resourceKey, long... sessions) {
        List<Long> all = new ArrayList<>();
        for (long session : sessions) {
            all.add(session);
        }
        holders.put(resourceKey, new Holders(all, true));
    }

    private void waiting(long session, ResourceKey... resources) {
        waits.put(session, Stream.of(resources).toList());
    }

    private Step step(long session, ResourceKey resourceKey) {
        return new Step(session, resourceKey, concurrent.contains(session));
    }

    private static ResourceKey lock(String key) {
        return new ResourceKey(ResourceKind.LOCK, Key.of(key));
    }

    private static ResourceKey slots(String key) {
        return new ResourceKey(ResourceKind.SEMAPHORE, Key.of(key));
    }
}
