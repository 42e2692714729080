package io.holdfast.socketlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import static java.util.Objects.requireNonNull;

import io.holdfast.socketlock.LockTable.EnqueueResult;
import io.holdfast.socketlock.LockTable.State;

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
    void every_event_in_every_state_has_the_expected_result(
            State before, String event, @Nullable State after) {
        var locks = new TableScenario(SocketLockQueuePolicy.FIFO);
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
        locks.enqueue(READ, 2, "a");
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
    void each_timeout_ends_exactly_and_is_reported_with_its_kind() {
        var locks = new TableScenario(SocketLockQueuePolicy.FIFO);
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
    void the_request_timeout_ends_at_the_offer() {
        var locks = new TableScenario(SocketLockQueuePolicy.FIFO);
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
    void a_request_times_out_behind_an_unconfirmed_offer() {
        var locks = new TableScenario(SocketLockQueuePolicy.FIFO);
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
    void a_time_to_live_starts_at_the_confirmation() {
        var locks = new TableScenario(SocketLockQueuePolicy.FIFO);
        locks.enqueue(WRITE, 3, "a");
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
    void deadlines_are_processed_in_order_even_when_advance_is_late() {
        var locks = new TableScenario(SocketLockQueuePolicy.FIFO);
        locks.enqueue(WRITE, 1, "a");
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
                        SocketLockQueuePolicy.FIFO,
                        "w:a cf:a r:b r:c w:d r:e rel:a cf:b cf:c rel:b rel:c cf:d rel:d",
                        "a b c d e"),
                arguments(
                        2,
                        SocketLockQueuePolicy.FIFO,
                        "r:a cf:a w:b r:c rel:a cf:b rel:b",
                        "a b c"),
                arguments(
                        3,
                        SocketLockQueuePolicy.WRITER_PREFERRED,
                        "w:a cf:a r:b w:c rel:a cf:c rel:c",
                        "a c b"),
                arguments(4, SocketLockQueuePolicy.WRITER_PREFERRED, "r:a cf:a r:b", "a b"),
                arguments(
                        5, SocketLockQueuePolicy.WRITER_PREFERRED, "r:a cf:a w:b r:c rej:b", "a c"),
                arguments(
                        6,
                        SocketLockQueuePolicy.READER_PREFERRED,
                        "w:a cf:a w:b r:c rel:a cf:c",
                        "a c"),
                arguments(
                        6,
                        SocketLockQueuePolicy.READER_PREFERRED,
                        "w:a cf:a w:b r:c rel:a cf:c rel:c",
                        "a c b"),
                arguments(
                        7,
                        SocketLockQueuePolicy.READER_PREFERRED,
                        "r:a cf:a w:b r:c cf:c rel:a",
                        "a c"),
                arguments(
                        7,
                        SocketLockQueuePolicy.READER_PREFERRED,
                        "r:a cf:a w:b r:c cf:c rel:a rel:c",
                        "a c b"),
                arguments(8, SocketLockQueuePolicy.FIFO, "w:a r:b rej:a", "a b"),
                arguments(8, SocketLockQueuePolicy.READER_PREFERRED, "w:a r:b rej:a", "a b"),
                arguments(8, SocketLockQueuePolicy.WRITER_PREFERRED, "w:a r:b rej:a", "a b"));
    }

    @ParameterizedTest(name = "example {0}: {1} {2} offers {3}")
    @MethodSource("examples")
    void offers_follow_the_order_of_the_policy(
            int number, SocketLockQueuePolicy policy, String events, String offers) {
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
    void an_offer_follows_at_the_event_that_makes_it_possible() {
        var locks = new TableScenario(SocketLockQueuePolicy.FIFO);
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

    // ---- known hazards

    @ParameterizedTest
    @EnumSource(SocketLockQueuePolicy.class)
    void a_write_lock_is_not_offered_while_a_reader_holds(SocketLockQueuePolicy policy) { // H1
        var locks = new TableScenario(policy);
        locks.hold(READ, "a", "b");
        locks.write("c");
        locks.release("a");
        assertThat(locks.state("c")).isEqualTo(State.QUEUED);
        locks.release("b");
        assertThat(locks.state("c")).isEqualTo(State.OFFERED);
    }

    @ParameterizedTest
    @EnumSource(SocketLockQueuePolicy.class)
    void readers_share_the_lock_when_no_writer_waits(SocketLockQueuePolicy policy) { // H2
        var locks = new TableScenario(policy);
        locks.hold(READ, "a", "b", "c");
        assertThat(List.of(locks.status("a"), locks.status("b"), locks.status("c")))
                .containsOnly(true);
    }

    @ParameterizedTest
    @EnumSource(LockMode.class)
    void rejecting_a_queued_request_does_not_affect_others(LockMode mode) { // H3
        var locks = new TableScenario(SocketLockQueuePolicy.FIFO);
        locks.hold(mode, "a");
        locks.write("b");
        locks.enqueue(mode, 0, "c");
        locks.release("b");
        locks.reject("c");
        locks.write("d");
        assertThat(locks.status("a")).isTrue();
        assertThat(locks.state("d")).isEqualTo(State.QUEUED);
        locks.release("a");
        assertThat(locks.state("d")).isEqualTo(State.OFFERED);
    }

    @Test
    void the_next_waiter_is_offered_the_lock_when_the_head_of_the_queue_is_withdrawn() { // H3
        var locks = new TableScenario(SocketLockQueuePolicy.FIFO);
        locks.hold(READ, "a");
        locks.write("b");
        locks.read("c");
        locks.release("b");
        assertThat(locks.state("c")).isEqualTo(State.OFFERED);
    }

    @Test
    void a_repeated_confirmation_counts_once() { // H4
        var locks = new TableScenario(SocketLockQueuePolicy.FIFO);
        locks.enqueue(READ, 5, "a");
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
    void a_lock_id_in_use_is_refused_until_its_request_is_removed() { // H5
        var locks = new TableScenario(SocketLockQueuePolicy.FIFO);
        assertThat(locks.write("a")).isEqualTo(EnqueueResult.QUEUED);
        assertThat(locks.write("a")).isEqualTo(EnqueueResult.IN_USE);
        locks.confirm("a");
        assertThat(locks.read("a")).isEqualTo(EnqueueResult.IN_USE);
        locks.release("a");
        assertThat(locks.read("a")).isEqualTo(EnqueueResult.QUEUED);
    }

    @Test
    void closing_a_session_removes_all_its_requests() { // H5, H22
        var locks = new TableScenario(SocketLockQueuePolicy.FIFO);
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
    void an_expired_hold_is_free_even_if_its_client_is_silent() { // H6
        var locks = new TableScenario(SocketLockQueuePolicy.FIFO);
        locks.enqueue(WRITE, 1, "a");
        locks.confirm("a");
        locks.read("b");
        locks.advance(1_000);
        assertThat(locks.happened()).contains("expired a", "offer b");
        locks.confirm("b");
        locks.release("a");
        assertThat(locks.status("b")).isTrue();
    }

    @Test
    void waiters_are_served_in_order_of_arrival_when_others_leave() { // H20
        var locks = new TableScenario(SocketLockQueuePolicy.FIFO);
        locks.hold(WRITE, "a");
        locks.write("b", "c", "d", "e");
        locks.reject("c");
        locks.release("a");
        locks.disconnect("b");
        locks.release("d");
        assertThat(locks.happened()).containsExactly("offer a", "offer b", "offer d", "offer e");
    }

    @Test
    void the_next_waiter_is_served_when_a_holder_disconnects() { // H22
        var locks = new TableScenario(SocketLockQueuePolicy.WRITER_PREFERRED);
        locks.hold(READ, "a", "b");
        locks.write("c");
        locks.read("d");
        locks.disconnect("a");
        locks.disconnect("b");
        assertThat(locks.state("c")).isEqualTo(State.OFFERED);
        locks.disconnect("c");
        assertThat(locks.state("d")).isEqualTo(State.OFFERED);
    }

    // ---- limits, fences and the grace period

    @Test
    void the_number_of_requests_of_a_session_is_limited() {
        var locks = new TableScenario(SocketLockQueuePolicy.FIFO);
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
    void the_total_length_of_the_lock_ids_is_limited() {
        var locks = new TableScenario(SocketLockQueuePolicy.FIFO);
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
    void every_offer_has_a_greater_fence_than_all_before() {
        var locks = new TableScenario(SocketLockQueuePolicy.FIFO);
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
    void a_suspended_table_makes_no_offers_but_processes_deadlines() {
        var locks = new TableScenario(SocketLockQueuePolicy.FIFO);
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
    void compatible_holds_can_be_reasserted_together() {
        var locks = new TableScenario(SocketLockQueuePolicy.FIFO);
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
    void a_write_hold_is_reasserted_only_alone_and_no_hold_after_the_grace_period() {
        var locks = new TableScenario(SocketLockQueuePolicy.FIFO);
        locks.table().suspend();
        assertThat(locks.reassert(WRITE, "a")).isTrue();
        assertThat(locks.reassert(WRITE, "b")).isFalse();
        assertThat(locks.reassert(READ, "c")).isFalse();
        locks.resume();
        locks.release("a");
        assertThat(locks.reassert(READ, "c")).isFalse();
    }
}
