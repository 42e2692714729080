package io.holdfast.driver.signal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Key;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Section 13.5. */
@DisplayName("A signal")
class DeliveryTest {
    private final SignalScenario signals = new SignalScenario();
    private final TestListener alice = signals.person("alice");
    private final TestListener bob = signals.person("bob");
    private final TestListener carol = signals.person("carol");
    private final TestListener dave = signals.person("dave");

    @Test
    void a_signal_without_listeners_has_no_recipients() {
        alice.listen("b");
        assertThat(signals.receivers("a")).isEmpty();
    }

    @Test
    void a_signal_goes_to_all_listeners_without_a_group_in_order_of_joining() {
        List<String> names = IntStream.range(0, 40).mapToObj(i -> "p" + i).toList();
        for (String name : names) {
            TestListener testListener = signals.person(name);
            testListener.listen("exact");
            testListener.listen("*.wild");
        }
        assertThat(signals.receivers("exact")).isEqualTo(names);
        assertThat(signals.receivers("some.wild")).isEqualTo(names);
    }

    @Test
    void a_listener_that_registers_again_is_last() {
        alice.listen("a");
        bob.listen("a");
        carol.listen("a");
        alice.unlisten("a");
        assertThat(signals.receivers("a")).containsExactly("bob", "carol");
        alice.listen("a");
        assertThat(signals.receivers("a")).containsExactly("bob", "carol", "alice");
    }

    @Test
    void recipients_are_chosen_in_four_steps() {
        // In reverse, so that the order of joining cannot matter.
        dave.listen("a.*", "workers");
        carol.listen("*.b");
        bob.listen("a.b", "workers");
        alice.listen("a.b");
        assertThat(signals.receivers("a.b")).containsExactly("alice", "bob", "carol", "dave");
    }

    @Test
    void listeners_without_a_group_of_all_patterns_come_before_groups() {
        for (String pattern : List.of("a.*", "*.b", ">", "a.>", "*.*", "*.>")) {
            signals.person("group " + pattern).listen(pattern, "workers");
            signals.person("alone " + pattern).listen(pattern);
        }
        List<String> receivers = signals.receivers("a.b");
        assertThat(receivers).hasSize(12);
        assertThat(receivers.subList(0, 6)).allMatch(name -> name.startsWith("alone"));
        assertThat(receivers.subList(6, 12)).allMatch(name -> name.startsWith("group"));
    }

    @Test
    void a_listener_with_several_matching_registrations_gets_a_signal_once() {
        alice.listen("a.b");
        alice.listen("a.b", "one");
        alice.listen("a.b", "two");
        alice.listen("a.*");
        alice.listen(">");
        alice.listen("a.*", "one");
        alice.listen("a.>", "one");
        assertThat(signals.receivers("a.b")).containsExactly("alice");
    }

    @Test
    void each_of_many_listeners_with_several_registrations_gets_a_signal_once() {
        List<String> names = IntStream.range(0, 100).mapToObj(i -> "p" + i).toList();
        for (String name : names) {
            TestListener testListener = signals.person(name);
            testListener.listen("a.b");
            testListener.listen("a.b", "one");
            testListener.listen("a.*");
            testListener.listen("a.>", "two");
        }
        assertThat(signals.receivers("a.b")).isEqualTo(names);
    }

    @Test
    void a_listener_with_two_subscribers_gets_a_signal_once() {
        alice.listen("a");
        alice.reopen();
        alice.listen("a");
        alice.listen("*");
        assertThat(signals.receivers("a")).containsExactly("alice");
    }

    @Test
    void a_listener_is_chosen_in_the_first_step_that_matches() {
        alice.listen("a.*");
        bob.listen("a.b");
        bob.listen("a.*");
        assertThat(signals.receivers("a.b")).containsExactly("bob", "alice");
        carol.listen("a.*");
        carol.listen("a.b", "workers");
        assertThat(signals.receivers("a.b")).containsExactly("bob", "carol", "alice");
    }

    @Test
    void signals_go_to_the_members_of_a_group_round_robin() {
        for (String pattern : List.of("a.b", "a.*")) {
            alice.listen(pattern, "workers");
            bob.listen(pattern, "workers");
            carol.listen(pattern, "workers");
            assertThat(rounds(7, "a.b"))
                    .containsExactly("alice", "bob", "carol", "alice", "bob", "carol", "alice");
            List.of(alice, bob, carol).forEach(member -> member.unlisten(pattern, "workers"));
        }
    }

    @Test
    void a_signal_goes_to_one_member_of_each_group() {
        alice.listen("a", "one");
        bob.listen("a", "one");
        carol.listen("a", "two");
        dave.listen("a", "two");
        assertThat(signals.receivers("a")).containsExactlyInAnyOrder("alice", "carol");
        assertThat(signals.receivers("a")).containsExactlyInAnyOrder("bob", "dave");
    }

    @Test
    void groups_of_one_name_on_two_patterns_are_independent() {
        alice.listen("a.b", "workers");
        bob.listen("a.*", "workers");
        carol.listen("*.b", "workers");
        assertThat(signals.receivers("a.b")).containsExactlyInAnyOrder("alice", "bob", "carol");
        assertThat(signals.receivers("x.b")).containsExactly("carol");
    }

    @Test
    void members_move_up_when_one_leaves_while_the_round_robin_counter_continues() {
        alice.listen("a", "workers");
        bob.listen("a", "workers");
        carol.listen("a", "workers");
        assertThat(rounds(2, "a")).containsExactly("alice", "bob");
        alice.unlisten("a", "workers"); // turn 2 of bob, carol
        assertThat(rounds(3, "a")).containsExactly("bob", "carol", "bob");
        dave.listen("a", "workers"); // turn 5 of bob, carol, dave
        assertThat(rounds(4, "a")).containsExactly("dave", "bob", "carol", "dave");
        carol.close(); // turn 9 of bob, dave
        assertThat(rounds(2, "a")).containsExactly("dave", "bob");
        carol.reopen();
        carol.listen("a", "workers"); // turn 11 of bob, dave, carol
        assertThat(rounds(2, "a")).containsExactly("carol", "bob");
    }

    @Test
    void the_round_robin_counter_of_a_group_ends_with_its_last_member() {
        for (String pattern : List.of("a.b", "*.b")) {
            alice.listen(pattern, "workers");
            bob.listen(pattern, "workers");
            assertThat(rounds(3, "a.b")).containsExactly("alice", "bob", "alice");
            bob.unlisten(pattern, "workers");
            alice.unlisten(pattern, "workers");
            assertThat(signals.receivers("a.b")).isEmpty();
            alice.listen(pattern, "workers");
            bob.listen(pattern, "workers");
            assertThat(signals.receivers("a.b")).containsExactly("alice");
            bob.unlisten(pattern, "workers");
            alice.unlisten(pattern, "workers");
        }
        signals.assertEmpty();
    }

    @Test
    void a_group_member_that_was_chosen_already_is_skipped() {
        alice.listen("a");
        alice.listen("a", "workers");
        bob.listen("a", "workers");
        carol.listen("a", "workers");
        assertThat(signals.receivers("a"))
                .as("turn 0: alice, so bob")
                .containsExactly("alice", "bob");
        assertThat(signals.receivers("a")).as("turn 1: bob").containsExactly("alice", "bob");
        assertThat(signals.receivers("a")).as("turn 2").containsExactly("alice", "carol");
        assertThat(signals.receivers("a")).as("turn 3").containsExactly("alice", "bob");
    }

    @Test
    void the_round_robin_wraps_around_when_the_later_members_were_chosen_already() {
        alice.listen("a", "workers");
        bob.listen("a", "workers");
        carol.listen("a", "workers");
        bob.listen("a");
        carol.listen("a");
        assertThat(rounds(1, "a")).containsExactly("bob", "carol", "alice");
        assertThat(rounds(1, "a")).containsExactly("bob", "carol", "alice");
        assertThat(rounds(1, "a")).containsExactly("bob", "carol", "alice");
    }

    @Test
    void a_group_whose_members_were_all_chosen_adds_none_but_its_counter_advances() {
        alice.listen("a");
        bob.listen("a");
        alice.listen("a", "workers");
        bob.listen("a", "workers");
        assertThat(signals.receivers("a")).containsExactly("alice", "bob");
        alice.unlisten("a");
        bob.unlisten("a");
        assertThat(signals.receivers("a")).as("turn 1").containsExactly("bob");
    }

    @Test
    void a_listener_that_ends_one_registration_is_reached_by_another() {
        alice.listen("a.b");
        alice.listen("a.*");
        alice.listen("a.b", "workers");
        alice.unlisten("a.b");
        assertThat(signals.receivers("a.b")).containsExactly("alice");
        alice.unlisten("a.b", "workers");
        assertThat(signals.receivers("a.b")).containsExactly("alice");
        alice.unlisten("a.*");
        assertThat(signals.receivers("a.b")).isEmpty();
    }

    @Test
    void the_cost_of_a_signal_does_not_depend_on_other_registrations() {
        // Some differ from the channel at its last token only, or begin with a wildcard.
        List<String> forms =
                List.of("a.b.%d", "%d.b.c", "a.*.%d", "a.b.%d.>", "*.b.%d", "%d.>", "*.%d.c");
        alice.listen("a.b.c");
        bob.listen("a.*.c");
        forms.forEach(form -> carol.listen(form.formatted(0)));
        int looks = signals.hub.choose(Key.of("a.b.c")).cost();
        assertThat(looks).isPositive();
        for (int i = 1; i <= 2_000; i++) {
            for (String form : forms) {
                carol.listen(form.formatted(i));
            }
        }
        assertThat(signals.hub.choose(Key.of("a.b.c")).cost()).isEqualTo(looks);
        assertThat(signals.receivers("a.b.c")).containsExactly("alice", "bob");
    }

    @Test
    void the_cost_of_a_signal_increases_with_the_examined_registrations() {
        alice.listen("a");
        int one = signals.hub.choose(Key.of("a")).cost();
        for (int i = 0; i < 100; i++) {
            signals.person("p" + i).listen("a");
        }
        int alone = signals.hub.choose(Key.of("a")).cost();
        assertThat(alone).isGreaterThanOrEqualTo(one + 100);
        for (int i = 0; i < 100; i++) {
            TestListener slow = signals.person("slow" + i);
            slow.setFull(true);
            slow.listen("a", "workers");
        }
        assertThat(signals.hub.choose(Key.of("a")).cost()).isGreaterThanOrEqualTo(alone + 100);
    }

    private List<String> rounds(int signalsSent, String channel) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < signalsSent; i++) {
            names.addAll(signals.receivers(channel));
        }
        return names;
    }
}
