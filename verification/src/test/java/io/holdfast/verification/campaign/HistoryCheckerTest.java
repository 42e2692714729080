package io.holdfast.verification.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.TimeUnit;

@DisplayName("The checker of a campaign's history")
class HistoryCheckerTest {
    private final OperationHistory operationHistory = new OperationHistory();

    @Test
    void a_correct_history_has_no_violations() {
        operationHistory.add(hold("a", 0, 7).requested(0).granted(1).confirmed(3).ended(3).get());
        operationHistory.add(hold("b", 1, 8).requested(1).granted(4).confirmed(5).ended(5).get());
        operationHistory.add(added(0, 1, 1));
        operationHistory.add(added(1, 2, 2));
        operationHistory.end("sheep", 2);
        operationHistory.add(written(0, 1, 1));
        operationHistory.add(read(2, 3, 1));
        assertThat(found()).isEmpty();
    }

    @Test
    void two_holders_at_a_time_are_a_violation() {
        operationHistory.add(hold("a", 0, 7).requested(0).granted(1).confirmed(1).ended(5).get());
        operationHistory.add(hold("b", 1, 8).requested(1).granted(4).confirmed(4).ended(6).get());
        assertThat(found()).singleElement().asString().startsWith("two holders: a ");
    }

    @Test
    void a_hold_within_a_longer_hold_of_another_client_is_a_violation() {
        operationHistory.add(hold("a", 0, 7).requested(0).granted(1).confirmed(9).ended(9).get());
        operationHistory.add(hold("b", 1, 8).requested(1).granted(2).confirmed(3).ended(3).get());
        operationHistory.add(hold("c", 1, 9).requested(4).granted(5).confirmed(6).ended(6).get());
        assertThat(found()).hasSize(2).allMatch(one -> one.startsWith("two holders: a "));
    }

    @Test
    void two_holders_are_a_violation_also_if_one_has_no_fence() {
        operationHistory.add(
                hold("a", 0, ObservedHold.NO_FENCE)
                        .requested(0)
                        .granted(1)
                        .confirmed(1)
                        .ended(5)
                        .get());
        operationHistory.add(hold("b", 1, 8).requested(1).granted(4).confirmed(4).ended(6).get());
        assertThat(found()).singleElement().asString().startsWith("two holders: a ");
    }

    @Test
    void a_holder_on_a_suspended_node_may_overlap_with_its_successor() {
        operationHistory.add(hold("a", 0, 7).requested(0).granted(1).confirmed(1).ended(15).get());
        operationHistory.add(
                hold("b", 1, 8).requested(1).granted(13).confirmed(14).ended(14).get());
        operationHistory.add(new OperationHistory.Suspended(0, s(2), s(14)));
        assertThat(found()).isEmpty();
    }

    @Test
    void a_holder_on_a_suspended_node_that_was_confirmed_later_may_not_overlap() {
        operationHistory.add(hold("a", 0, 7).requested(0).granted(1).confirmed(15).ended(15).get());
        operationHistory.add(
                hold("b", 1, 8).requested(1).granted(13).confirmed(14).ended(14).get());
        operationHistory.add(new OperationHistory.Suspended(0, s(2), s(14)));
        assertThat(found()).singleElement().asString().startsWith("two holders: a ");
    }

    @Test
    void a_fence_granted_twice_is_a_violation() {
        operationHistory.add(hold("a", 0, 7).requested(0).granted(1).confirmed(3).ended(3).get());
        operationHistory.add(hold("b", 1, 7).requested(1).granted(4).confirmed(5).ended(5).get());
        assertThat(found()).singleElement().asString().startsWith("one fence twice: a ");
    }

    @Test
    void a_fence_below_an_earlier_one_is_a_violation() {
        operationHistory.add(hold("a", 0, 8).requested(0).granted(1).confirmed(2).ended(2).get());
        operationHistory.add(hold("b", 1, 7).requested(3).granted(4).confirmed(5).ended(5).get());
        assertThat(found()).singleElement().asString().startsWith("out of order: a ");
    }

    @Test
    void overtaking_a_client_known_to_be_queued_is_a_violation() {
        operationHistory.add(
                hold("a", 0, 8).requested(0).enqueued(1).granted(7).confirmed(8).ended(8).get());
        operationHistory.add(hold("b", 1, 7).requested(2).granted(4).confirmed(5).ended(5).get());
        assertThat(found()).singleElement().asString().startsWith("out of order: a ");
    }

    @Test
    void overtaking_a_much_earlier_request_to_the_same_node_is_a_violation() {
        operationHistory.add(hold("a", 1, 8).requested(0).granted(7).confirmed(8).ended(8).get());
        operationHistory.add(hold("b", 1, 7).requested(2).granted(4).confirmed(5).ended(5).get());
        assertThat(found()).singleElement().asString().startsWith("out of order: a ");
    }

    @Test
    void requests_to_different_or_suspended_nodes_have_no_order() {
        operationHistory.add(hold("a", 0, 8).requested(0).granted(7).confirmed(8).ended(8).get());
        operationHistory.add(hold("b", 1, 7).requested(2).granted(4).confirmed(5).ended(5).get());
        operationHistory.add(
                hold("c", 2, 11).requested(10).granted(17).confirmed(18).ended(18).get());
        operationHistory.add(
                hold("d", 2, 10).requested(12).granted(15).confirmed(16).ended(16).get());
        operationHistory.add(new OperationHistory.Suspended(2, s(9), s(14)));
        assertThat(found()).isEmpty();
    }

    @Test
    void a_timeout_before_its_wait_time_is_a_violation() {
        operationHistory.add(new OperationHistory.TimedOut("a", "gate", s(1), s(5), s(5)));
        operationHistory.add(new OperationHistory.TimedOut("b", "gate", s(1), s(6), s(5)));
        assertThat(found()).singleElement().asString().startsWith("timeout too early: a ");
    }

    @Test
    void a_lost_lock_is_a_violation() {
        operationHistory.add(
                new OperationHistory.Lost("a", 0, "gate", "release", s(1), s(2), s(3)));
        operationHistory.add(
                new OperationHistory.Lost("b", 1, "gate", "release", s(1), s(2), s(30)));
        operationHistory.add(new OperationHistory.Suspended(1, s(10), s(20)));
        assertThat(found()).singleElement().asString().startsWith("a lock was lost: a ");
    }

    @Test
    void a_lost_increment_is_a_violation() {
        operationHistory.add(added(0, 1, 1));
        operationHistory.add(added(1, 2, 2));
        operationHistory.end("sheep", 1);
        assertThat(found()).singleElement().asString().startsWith("counter sheep is 1 in the end");
    }

    @Test
    void an_increment_applied_twice_is_a_violation() {
        operationHistory.add(added(0, 1, 1));
        operationHistory.add(
                new OperationHistory.Added("sheep", s(1), OperationHistory.UNKNOWN, 0));
        operationHistory.end("sheep", 3);
        assertThat(found()).singleElement().asString().startsWith("counter sheep is 3 in the end");
    }

    @Test
    void an_increment_of_unknown_outcome_may_be_applied_or_not() {
        operationHistory.add(added(0, 1, 1));
        operationHistory.add(
                new OperationHistory.Added("sheep", s(1), OperationHistory.UNKNOWN, 0));
        operationHistory.end("sheep", 2);
        assertThat(found()).isEmpty();
        operationHistory.end("sheep", 1);
        assertThat(found()).isEmpty();
    }

    @Test
    void a_count_that_is_returned_twice_or_decreases_is_a_violation() {
        operationHistory.add(added(0, 1, 2));
        operationHistory.add(added(0, 1, 2));
        operationHistory.add(added(2, 3, 1));
        assertThat(found())
                .containsExactly(
                        "counter sheep was 2 twice", "counter sheep was 1 at 2.000s and 2 before");
    }

    @Test
    void a_lost_write_is_a_violation() {
        operationHistory.add(written(0, 1, 1));
        operationHistory.add(written(2, 3, 2));
        operationHistory.add(read(4, 5, 1));
        operationHistory.add(read(4, 5, 0));
        assertThat(found())
                .hasSize(2)
                .allMatch(
                        one ->
                                one.endsWith("though 2 was acknowledged before")
                                        || one.endsWith("though 1 was acknowledged before"));
    }

    @Test
    void a_value_that_was_never_written_is_a_violation() {
        operationHistory.add(written(4, 5, 1));
        operationHistory.add(read(2, 3, 1));
        assertThat(found()).singleElement().asString().endsWith("which was never written before");
    }

    @Test
    void a_write_in_flight_or_of_unknown_outcome_may_be_read_or_not() {
        operationHistory.add(written(0, 1, 1));
        operationHistory.add(
                new OperationHistory.Written("value", s(2), OperationHistory.UNKNOWN, 2));
        operationHistory.add(written(3, 9, 3));
        for (long value : List.of(1L, 2L, 3L)) {
            operationHistory.add(read(4, 5, value));
        }
        operationHistory.add(read(10, 11, 2));
        assertThat(found()).isEmpty();
    }

    @Test
    void faults_detected_by_clients_are_violations() {
        operationHistory.fault("no response");
        assertThat(found()).containsExactly("no response");
    }

    private List<String> found() {
        return HistoryChecker.violations(operationHistory, 0);
    }

    private static long s(long seconds) {
        return TimeUnit.SECONDS.toNanos(seconds);
    }

    private static OperationHistory.Added added(long requested, long responded, long value) {
        return new OperationHistory.Added("sheep", s(requested), s(responded), value);
    }

    private static OperationHistory.Written written(long requested, long responded, long value) {
        return new OperationHistory.Written("value", s(requested), s(responded), value);
    }

    private static OperationHistory.Read read(long requested, long responded, long value) {
        return new OperationHistory.Read("r", "value", s(requested), s(responded), value);
    }

    private static HoldBuilder hold(String client, int node, long fence) {
        return new HoldBuilder(client, node, fence);
    }

    /** Builds a hold; times are in seconds. */
    private static final class HoldBuilder {
        private final String client;
        private final int node;
        private final long fence;
        private long requested;
        private long enqueued = ObservedHold.NEVER;
        private long granted;
        private long confirmed;
        private long ended;

        HoldBuilder(String client, int node, long fence) {
            this.client = client;
            this.node = node;
            this.fence = fence;
        }

        HoldBuilder requested(long time) {
            requested = s(time);
            return this;
        }

        HoldBuilder enqueued(long time) {
            enqueued = s(time);
            return this;
        }

        HoldBuilder granted(long time) {
            granted = s(time);
            return this;
        }

        HoldBuilder confirmed(long time) {
            confirmed = s(time);
            return this;
        }

        HoldBuilder ended(long time) {
            ended = s(time);
            return this;
        }

        ObservedHold get() {
            return new ObservedHold(
                    client, node, "gate", fence, requested, requested, enqueued, granted, confirmed,
                    ended);
        }
    }
}
