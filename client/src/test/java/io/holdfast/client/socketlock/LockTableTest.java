package io.holdfast.client.socketlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import static java.util.Objects.requireNonNull;

import io.holdfast.client.socketlock.LockTable.EnqueueResult;
import io.holdfast.client.socketlock.LockTable.State;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.stream.Stream;

@DisplayName("The lock table")
class LockTableTest {
    private static final LockMode READ = LockMode.READ;
    private static final LockMode WRITE = LockMode.WRITE;

    // ---- every event in every state

    @ParameterizedTest(name = "{0}: {1} gives {2}")
    @CsvSource({
        "QUEUED, confirm, QUEUED",
        "QUEUED, reject, ",
        "QUEUED, release, ",
        "QUEUED, status, QUEUED",
        "QUEUED, queue limit, ",
        "QUEUED, disconnect, ",
        "OFFERED, confirm, HELD",
        "OFFERED, reject, ",
        "OFFERED, release, ",
        "OFFERED, status, OFFERED",
        "OFFERED, confirm limit, ",
        "OFFERED, disconnect, ",
        "HELD, confirm, HELD",
        "HELD, reject, HELD",
        "HELD, release, ",
        "HELD, status, HELD",
        "HELD, ttl, EXPIRED",
        "HELD, disconnect, ",
        "EXPIRED, confirm, EXPIRED",
        "EXPIRED, reject, EXPIRED",
        "EXPIRED, release, ",
        "EXPIRED, status, ",
        "EXPIRED, disconnect, ",
    })
    void has_a_rule_for_every_event_in_every_state(
            State before, String event, @Nullable State after) {
        var locks = new TableScenario(Policy.FIFO);
        bring(locks, before);
        apply(locks, event);
        assertThat(locks.state("a")).isEqualTo(after);
        locks.disconnect("a");
        locks.disconnect("other");
        assertThat(locks.table().size()).isZero();
        assertThat(locks.table().nextDeadlineNanos()).isNull();
    }

    private static void bring(TableScenario locks, State state) {
        if (state == State.QUEUED) {
            locks.hold(WRITE, "other");
        }
        locks.ask(READ, 2, "a");
        if (state == State.HELD || state == State.EXPIRED) {
            locks.confirm("a");
        }
        if (state == State.EXPIRED) {
            locks.advance(2000);
        }
        assertThat(locks.state("a")).isEqualTo(state);
    }

    private static void apply(TableScenario locks, String event) {
        switch (event) {
            case "confirm" -> locks.confirm("a");
            case "reject" -> locks.reject("a");
            case "release" -> locks.release("a");
            case "status" -> locks.status("a");
            case "disconnect" -> locks.disconnect("a");
            case "queue limit" -> locks.advance(TableScenario.QUEUE_SECONDS * 1000);
            case "confirm limit" -> locks.advance(TableScenario.CONFIRM_SECONDS * 1000);
            case "ttl" -> locks.advance(2000);
            default -> throw new IllegalArgumentException(event);
        }
    }

    @Test
    void keeps_each_limit_to_the_moment_and_says_which_it_was() {
        var locks = new TableScenario(Policy.FIFO);
        locks.write("a");
        locks.write("b");
        locks.advance(9_999);
        assertThat(locks.happened()).containsExactly("offer a");
        locks.advance(1);
        assertThat(locks.happened()).containsExactly("OFFERED too long a", "offer b");
        locks.confirm("b");
        locks.write("c");
        locks.advance(29_999);
        assertThat(locks.happened()).isEmpty();
        locks.advance(1);
        assertThat(locks.happened()).containsExactly("QUEUED too long c");
        assertThat(locks.status("b")).isTrue();
    }

    @Test
    void stops_the_queue_limit_at_the_offer() {
        var locks = new TableScenario(Policy.FIFO);
        locks.hold(WRITE, "a");
        locks.write("b");
        locks.advance(29_000);
        locks.release("a");
        locks.advance(9_000);
        assertThat(locks.state("b")).isEqualTo(State.OFFERED);
        locks.confirm("b");
        locks.advance(100_000);
        assertThat(locks.status("b")).isTrue();
    }

    @Test
    void lets_a_request_time_out_behind_somebody_else_who_does_not_confirm() {
        var locks = new TableScenario(Policy.FIFO);
        locks.hold(WRITE, "a");
        locks.write("b");
        locks.advance(25_000);
        locks.write("c");
        locks.release("a");
        locks.confirm("b");
        locks.release("b");
        assertThat(locks.happened()).containsExactly("offer a", "offer b", "offer c");
        locks.read("d");
        locks.advance(9_999);
        locks.confirm("c");
        locks.advance(20_001);
        assertThat(locks.happened()).containsExactly("QUEUED too long d");
    }

    @Test
    void counts_a_time_to_live_from_the_confirmation() {
        var locks = new TableScenario(Policy.FIFO);
        locks.ask(WRITE, 3, "a");
        locks.advance(9_000);
        locks.confirm("a");
        locks.write("b");
        locks.advance(2_999);
        assertThat(locks.status("a")).isTrue();
        locks.advance(1);
        assertThat(locks.happened()).containsExactly("offer a", "expired a", "offer b");
        assertThat(locks.status("a")).isFalse();
        assertThat(locks.state("a")).isNull();
    }

    @Test
    void ends_what_is_due_in_order_even_when_the_clock_comes_late() {
        var locks = new TableScenario(Policy.FIFO);
        locks.ask(WRITE, 1, "a");
        locks.confirm("a");
        locks.write("b", "c");
        locks.happened();
        locks.advance(60_000);
        assertThat(locks.happened()).containsExactly("expired a", "offer b", "QUEUED too long c");
    }

    // ---- the examples of the policies

    static Stream<Arguments> examples() {
        return Stream.of(
                arguments(
                        1,
                        Policy.FIFO,
                        "w:a cf:a r:b r:c w:d r:e rel:a cf:b cf:c rel:b rel:c cf:d rel:d",
                        "a b c d e"),
                arguments(2, Policy.FIFO, "r:a cf:a w:b r:c rel:a cf:b rel:b", "a b c"),
                arguments(3, Policy.WRITER_PREFERRED, "w:a cf:a r:b w:c rel:a cf:c rel:c", "a c b"),
                arguments(4, Policy.WRITER_PREFERRED, "r:a cf:a r:b", "a b"),
                arguments(5, Policy.WRITER_PREFERRED, "r:a cf:a w:b r:c rej:b", "a c"),
                arguments(6, Policy.READER_PREFERRED, "w:a cf:a w:b r:c rel:a cf:c", "a c"),
                arguments(6, Policy.READER_PREFERRED, "w:a cf:a w:b r:c rel:a cf:c rel:c", "a c b"),
                arguments(7, Policy.READER_PREFERRED, "r:a cf:a w:b r:c cf:c rel:a", "a c"),
                arguments(7, Policy.READER_PREFERRED, "r:a cf:a w:b r:c cf:c rel:a rel:c", "a c b"),
                arguments(8, Policy.FIFO, "w:a r:b rej:a", "a b"),
                arguments(8, Policy.READER_PREFERRED, "w:a r:b rej:a", "a b"),
                arguments(8, Policy.WRITER_PREFERRED, "w:a r:b rej:a", "a b"));
    }

    @ParameterizedTest(name = "example {0}: {1} {2} offers {3}")
    @MethodSource("examples")
    void offers_in_the_order_of_its_policy(
            int number, Policy policy, String events, String offers) {
        var locks = new TableScenario(policy);
        for (String event : events.split(" ", -1)) {
            String client = event.substring(event.indexOf(':') + 1);
            switch (event.substring(0, event.indexOf(':'))) {
                case "r" -> locks.read(client);
                case "w" -> locks.write(client);
                case "cf" -> locks.confirm(client);
                case "rel" -> locks.release(client);
                case "rej" -> locks.reject(client);
                default -> throw new IllegalArgumentException(event);
            }
        }
        assertThat(locks.happened())
                .as("example %d", number)
                .containsExactlyElementsOf(
                        Stream.of(offers.split(" ", -1)).map(client -> "offer " + client).toList());
    }

    @Test
    void offers_at_the_very_event_that_makes_room() {
        var locks = new TableScenario(Policy.FIFO);
        locks.hold(WRITE, "a");
        locks.read("b", "c");
        locks.write("d");
        locks.read("e");
        locks.happened();
        locks.release("a");
        assertThat(locks.happened()).containsExactly("offer b");
        locks.confirm("b");
        assertThat(locks.happened()).containsExactly("offer c");
        locks.confirm("c");
        locks.release("b");
        assertThat(locks.happened()).isEmpty();
        locks.release("c");
        assertThat(locks.happened()).containsExactly("offer d");
        locks.confirm("d");
        locks.release("d");
        assertThat(locks.happened()).containsExactly("offer e");
    }

    // ---- the hazards

    @ParameterizedTest
    @EnumSource(Policy.class)
    void never_offers_a_write_beside_a_reader(Policy policy) { // H1
        var locks = new TableScenario(policy);
        locks.hold(READ, "a", "b");
        locks.write("c");
        locks.release("a");
        assertThat(locks.state("c")).isEqualTo(State.QUEUED);
        locks.release("b");
        assertThat(locks.state("c")).isEqualTo(State.OFFERED);
    }

    @ParameterizedTest
    @EnumSource(Policy.class)
    void lets_readers_share_when_no_writer_is_about(Policy policy) { // H2
        var locks = new TableScenario(policy);
        locks.hold(READ, "a", "b", "c");
        assertThat(List.of(locks.status("a"), locks.status("b"), locks.status("c")))
                .containsOnly(true);
    }

    @ParameterizedTest
    @EnumSource(LockMode.class)
    void takes_nothing_from_others_when_a_queued_request_is_given_up(LockMode mode) { // H3
        var locks = new TableScenario(Policy.FIFO);
        locks.hold(mode, "a");
        locks.write("b");
        locks.ask(mode, 0, "c");
        locks.release("b");
        locks.reject("c");
        locks.write("d");
        assertThat(locks.status("a")).isTrue();
        assertThat(locks.state("d")).isEqualTo(State.QUEUED);
        locks.release("a");
        assertThat(locks.state("d")).isEqualTo(State.OFFERED);
    }

    @Test
    void looks_for_the_next_when_the_head_of_the_queue_is_withdrawn() { // H3
        var locks = new TableScenario(Policy.FIFO);
        locks.hold(READ, "a");
        locks.write("b");
        locks.read("c");
        locks.release("b");
        assertThat(locks.state("c")).isEqualTo(State.OFFERED);
    }

    @Test
    void counts_a_repeated_confirmation_once() { // H4
        var locks = new TableScenario(Policy.FIFO);
        locks.ask(READ, 5, "a");
        locks.confirm("a");
        locks.advance(3_000);
        locks.read("b");
        locks.confirm("a");
        locks.write("c");
        assertThat(locks.happened()).containsExactly("offer a", "offer b");
        locks.advance(2_000);
        assertThat(locks.happened()).containsExactly("expired a");
        locks.release("b");
        assertThat(locks.happened()).containsExactly("offer c");
    }

    @Test
    void refuses_a_lock_id_that_is_in_use_until_it_is_gone() { // H5
        var locks = new TableScenario(Policy.FIFO);
        assertThat(locks.write("a")).isEqualTo(EnqueueResult.QUEUED);
        assertThat(locks.write("a")).isEqualTo(EnqueueResult.IN_USE);
        locks.confirm("a");
        assertThat(locks.read("a")).isEqualTo(EnqueueResult.IN_USE);
        locks.release("a");
        assertThat(locks.read("a")).isEqualTo(EnqueueResult.QUEUED);
    }

    @Test
    void keeps_nothing_of_a_session_that_is_closed() { // H5, H22
        var locks = new TableScenario(Policy.FIFO);
        locks.hold(WRITE, "a");
        var session = locks.session("a");
        for (int i = 0; i < 10; i++) {
            locks.table().enqueue(session, "more " + i, i % 2 == 0 ? READ : WRITE, 0, 0);
        }
        locks.write("b");
        locks.disconnect("a");
        assertThat(session.size()).isZero();
        assertThat(locks.state("b")).isEqualTo(State.OFFERED);
        assertThat(locks.table().size()).isEqualTo(2); // the offer and its deadline
        locks.disconnect("b");
        assertThat(locks.table().size()).isZero();
    }

    @Test
    void frees_a_lock_whose_holder_is_silent_when_its_time_is_over() { // H6
        var locks = new TableScenario(Policy.FIFO);
        locks.ask(WRITE, 1, "a");
        locks.confirm("a");
        locks.read("b");
        locks.advance(1_000);
        assertThat(locks.happened()).contains("expired a", "offer b");
        locks.confirm("b");
        locks.release("a");
        assertThat(locks.status("b")).isTrue();
    }

    @Test
    void serves_in_order_of_arrival_whatever_leaves_in_between() { // H20
        var locks = new TableScenario(Policy.FIFO);
        locks.hold(WRITE, "a");
        locks.write("b", "c", "d", "e");
        locks.reject("c");
        locks.release("a");
        locks.disconnect("b");
        locks.release("d");
        assertThat(locks.happened()).containsExactly("offer a", "offer b", "offer d", "offer e");
    }

    @Test
    void goes_on_when_a_holder_disconnects() { // H22
        var locks = new TableScenario(Policy.WRITER_PREFERRED);
        locks.hold(READ, "a", "b");
        locks.write("c");
        locks.read("d");
        locks.disconnect("a");
        locks.disconnect("b");
        assertThat(locks.state("c")).isEqualTo(State.OFFERED);
        locks.disconnect("c");
        assertThat(locks.state("d")).isEqualTo(State.OFFERED);
    }

    // ---- limits, fences and the time of grace

    @Test
    void takes_so_many_requests_of_a_session_and_no_more() {
        var locks = new TableScenario(Policy.FIFO);
        var session = locks.session("a");
        for (int i = 0; i < LockTable.MAX_REQUESTS; i++) {
            assertThat(locks.table().enqueue(session, "l" + i, READ, 0, 0))
                    .isEqualTo(EnqueueResult.QUEUED);
        }
        assertThat(locks.table().enqueue(session, "one more", READ, 0, 0))
                .isEqualTo(EnqueueResult.TOO_MANY);
        assertThat(locks.read("b")).isEqualTo(EnqueueResult.QUEUED);
    }

    @Test
    void refuses_ids_that_are_too_long_together() {
        var locks = new TableScenario(Policy.FIFO);
        var session = locks.session("a");
        String half = "x".repeat(LockTable.MAX_ID_BYTES / 2);
        assertThat(locks.table().enqueue(session, half, READ, 0, 0))
                .isEqualTo(EnqueueResult.QUEUED);
        assertThat(locks.table().enqueue(session, half + "x", READ, 0, 0))
                .isEqualTo(EnqueueResult.TOO_MANY);
        locks.table().release(requireNonNull(session.find(half)));
        assertThat(locks.table().enqueue(session, half + "x", READ, 0, 0))
                .isEqualTo(EnqueueResult.QUEUED);
    }

    @Test
    void gives_every_offer_a_fence_above_all_before() {
        var locks = new TableScenario(Policy.FIFO);
        locks.write("a");
        long first = locks.fence("a");
        locks.reject("a");
        locks.write("b");
        assertThat(first).isGreaterThan(TableScenario.FENCE_FLOOR);
        assertThat(locks.fence("b")).isGreaterThan(first);
        locks.confirm("b");
        assertThat(locks.fence("b")).isEqualTo(first + 1);
    }

    @Test
    void offers_nothing_while_suspended_but_lets_time_go_on() {
        var locks = new TableScenario(Policy.FIFO);
        locks.table().suspend();
        locks.read("a");
        locks.advance(29_999);
        locks.read("b");
        assertThat(locks.happened()).isEmpty();
        locks.advance(1);
        locks.resume();
        assertThat(locks.happened()).containsExactly("QUEUED too long a", "offer b");
    }

    @Test
    void books_holds_from_before_that_go_together() {
        var locks = new TableScenario(Policy.FIFO);
        locks.table().suspend();
        locks.write("waiting");
        assertThat(locks.reassert(READ, "a")).isTrue();
        assertThat(locks.reassert(READ, "b")).isTrue();
        assertThat(locks.reassert(WRITE, "c")).isFalse();
        assertThat(locks.reassert(READ, "a")).isFalse();
        assertThat(locks.status("a")).isTrue();
        assertThat(locks.fence("b")).isGreaterThan(locks.fence("a"));
        locks.resume();
        locks.release("a");
        locks.disconnect("b");
        assertThat(locks.happened()).containsExactly("offer waiting");
    }

    @Test
    void books_a_writer_from_before_only_alone_and_nobody_after_the_grace() {
        var locks = new TableScenario(Policy.FIFO);
        locks.table().suspend();
        assertThat(locks.reassert(WRITE, "a")).isTrue();
        assertThat(locks.reassert(WRITE, "b")).isFalse();
        assertThat(locks.reassert(READ, "c")).isFalse();
        locks.resume();
        locks.release("a");
        assertThat(locks.reassert(READ, "c")).isFalse();
    }
}
