package io.holdfast.cli.soak.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.TimeUnit;

@DisplayName("The checker of a campaign")
class HistoryCheckerTest {
    private final OperationHistory operationHistory = new OperationHistory();

    @Test
    void finds_nothing_in_a_good_history() {
        operationHistory.add(hold("a", 0, 7).asked(0).granted(1).confirmed(3).ended(3).get());
        operationHistory.add(hold("b", 1, 8).asked(1).granted(4).confirmed(5).ended(5).get());
        operationHistory.add(added(0, 1, 1));
        operationHistory.add(added(1, 2, 2));
        operationHistory.end("sheep", 2);
        operationHistory.add(written(0, 1, 1));
        operationHistory.add(read(2, 3, 1));
        assertThat(found()).isEmpty();
    }

    @Test
    void finds_two_holders_at_a_time() {
        operationHistory.add(hold("a", 0, 7).asked(0).granted(1).confirmed(1).ended(5).get());
        operationHistory.add(hold("b", 1, 8).asked(1).granted(4).confirmed(4).ended(6).get());
        assertThat(found()).singleElement().asString().startsWith("two holders: a ");
    }

    @Test
    void finds_a_holder_within_a_longer_hold_of_another() {
        operationHistory.add(hold("a", 0, 7).asked(0).granted(1).confirmed(9).ended(9).get());
        operationHistory.add(hold("b", 1, 8).asked(1).granted(2).confirmed(3).ended(3).get());
        operationHistory.add(hold("c", 1, 9).asked(4).granted(5).confirmed(6).ended(6).get());
        assertThat(found()).hasSize(2).allMatch(one -> one.startsWith("two holders: a "));
    }

    @Test
    void finds_two_holders_where_one_has_no_fence() {
        operationHistory.add(
                hold("a", 0, ObservedHold.NO_FENCE)
                        .asked(0)
                        .granted(1)
                        .confirmed(1)
                        .ended(5)
                        .get());
        operationHistory.add(hold("b", 1, 8).asked(1).granted(4).confirmed(4).ended(6).get());
        assertThat(found()).singleElement().asString().startsWith("two holders: a ");
    }

    @Test
    void does_not_blame_who_could_not_be_told() {
        operationHistory.add(hold("a", 0, 7).asked(0).granted(1).confirmed(1).ended(15).get());
        operationHistory.add(hold("b", 1, 8).asked(1).granted(13).confirmed(14).ended(14).get());
        operationHistory.add(new OperationHistory.Asleep(0, s(2), s(14)));
        assertThat(found()).isEmpty();
    }

    @Test
    void blames_who_was_confirmed_later_even_so() {
        operationHistory.add(hold("a", 0, 7).asked(0).granted(1).confirmed(15).ended(15).get());
        operationHistory.add(hold("b", 1, 8).asked(1).granted(13).confirmed(14).ended(14).get());
        operationHistory.add(new OperationHistory.Asleep(0, s(2), s(14)));
        assertThat(found()).singleElement().asString().startsWith("two holders: a ");
    }

    @Test
    void finds_a_fence_that_was_given_twice() {
        operationHistory.add(hold("a", 0, 7).asked(0).granted(1).confirmed(3).ended(3).get());
        operationHistory.add(hold("b", 1, 7).asked(1).granted(4).confirmed(5).ended(5).get());
        assertThat(found()).singleElement().asString().startsWith("one fence twice: a ");
    }

    @Test
    void finds_a_fence_below_an_earlier_one() {
        operationHistory.add(hold("a", 0, 8).asked(0).granted(1).confirmed(2).ended(2).get());
        operationHistory.add(hold("b", 1, 7).asked(3).granted(4).confirmed(5).ended(5).get());
        assertThat(found()).singleElement().asString().startsWith("out of order: a ");
    }

    @Test
    void finds_one_that_overtook_who_was_known_to_be_in_line() {
        operationHistory.add(
                hold("a", 0, 8).asked(0).inLine(1).granted(7).confirmed(8).ended(8).get());
        operationHistory.add(hold("b", 1, 7).asked(2).granted(4).confirmed(5).ended(5).get());
        assertThat(found()).singleElement().asString().startsWith("out of order: a ");
    }

    @Test
    void finds_one_that_overtook_who_asked_the_same_node_long_before() {
        operationHistory.add(hold("a", 1, 8).asked(0).granted(7).confirmed(8).ended(8).get());
        operationHistory.add(hold("b", 1, 7).asked(2).granted(4).confirmed(5).ended(5).get());
        assertThat(found()).singleElement().asString().startsWith("out of order: a ");
    }

    @Test
    void knows_no_order_of_requests_to_different_or_sleeping_nodes() {
        operationHistory.add(hold("a", 0, 8).asked(0).granted(7).confirmed(8).ended(8).get());
        operationHistory.add(hold("b", 1, 7).asked(2).granted(4).confirmed(5).ended(5).get());
        operationHistory.add(hold("c", 2, 11).asked(10).granted(17).confirmed(18).ended(18).get());
        operationHistory.add(hold("d", 2, 10).asked(12).granted(15).confirmed(16).ended(16).get());
        operationHistory.add(new OperationHistory.Asleep(2, s(9), s(14)));
        assertThat(found()).isEmpty();
    }

    @Test
    void finds_a_timeout_before_its_time() {
        operationHistory.add(new OperationHistory.TimedOut("a", "gate", s(1), s(5), s(5)));
        operationHistory.add(new OperationHistory.TimedOut("b", "gate", s(1), s(6), s(5)));
        assertThat(found()).singleElement().asString().startsWith("timeout too early: a ");
    }

    @Test
    void finds_a_lock_that_was_lost() {
        operationHistory.add(
                new OperationHistory.Lost("a", 0, "gate", "release", s(1), s(2), s(3)));
        operationHistory.add(
                new OperationHistory.Lost("b", 1, "gate", "release", s(1), s(2), s(30)));
        operationHistory.add(new OperationHistory.Asleep(1, s(10), s(20)));
        assertThat(found()).singleElement().asString().startsWith("a lock was lost: a ");
    }

    @Test
    void finds_a_lost_increment() {
        operationHistory.add(added(0, 1, 1));
        operationHistory.add(added(1, 2, 2));
        operationHistory.end("sheep", 1);
        assertThat(found()).singleElement().asString().startsWith("counter sheep is 1 in the end");
    }

    @Test
    void finds_an_increment_that_was_made_twice() {
        operationHistory.add(added(0, 1, 1));
        operationHistory.add(
                new OperationHistory.Added("sheep", s(1), OperationHistory.UNKNOWN, 0));
        operationHistory.end("sheep", 3);
        assertThat(found()).singleElement().asString().startsWith("counter sheep is 3 in the end");
    }

    @Test
    void lets_an_unknown_increment_be_made_or_not() {
        operationHistory.add(added(0, 1, 1));
        operationHistory.add(
                new OperationHistory.Added("sheep", s(1), OperationHistory.UNKNOWN, 0));
        operationHistory.end("sheep", 2);
        assertThat(found()).isEmpty();
        operationHistory.end("sheep", 1);
        assertThat(found()).isEmpty();
    }

    @Test
    void finds_a_count_that_came_twice_or_went_back() {
        operationHistory.add(added(0, 1, 2));
        operationHistory.add(added(0, 1, 2));
        operationHistory.add(added(2, 3, 1));
        assertThat(found())
                .containsExactly(
                        "counter sheep was 2 twice", "counter sheep was 1 at 2.000s and 2 before");
    }

    @Test
    void finds_a_lost_write() {
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
    void finds_a_value_that_nobody_had_written() {
        operationHistory.add(written(4, 5, 1));
        operationHistory.add(read(2, 3, 1));
        assertThat(found()).singleElement().asString().endsWith("which nobody had written");
    }

    @Test
    void lets_a_write_that_is_under_way_or_unknown_be_seen_or_not() {
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
    void tells_what_clients_found_themselves() {
        operationHistory.fault("no answer");
        assertThat(found()).containsExactly("no answer");
    }

    private List<String> found() {
        return HistoryChecker.violations(operationHistory, 0);
    }

    private static long s(long seconds) {
        return TimeUnit.SECONDS.toNanos(seconds);
    }

    private static OperationHistory.Added added(long asked, long answered, long value) {
        return new OperationHistory.Added("sheep", s(asked), s(answered), value);
    }

    private static OperationHistory.Written written(long asked, long answered, long value) {
        return new OperationHistory.Written("value", s(asked), s(answered), value);
    }

    private static OperationHistory.Read read(long asked, long answered, long value) {
        return new OperationHistory.Read("r", "value", s(asked), s(answered), value);
    }

    private static Made hold(String client, int node, long fence) {
        return new Made(client, node, fence);
    }

    /** In seconds. */
    private static final class Made {
        private final String client;
        private final int node;
        private final long fence;
        private long asked;
        private long inLine = ObservedHold.NEVER;
        private long granted;
        private long confirmed;
        private long ended;

        Made(String client, int node, long fence) {
            this.client = client;
            this.node = node;
            this.fence = fence;
        }

        Made asked(long time) {
            asked = s(time);
            return this;
        }

        Made inLine(long time) {
            inLine = s(time);
            return this;
        }

        Made granted(long time) {
            granted = s(time);
            return this;
        }

        Made confirmed(long time) {
            confirmed = s(time);
            return this;
        }

        Made ended(long time) {
            ended = s(time);
            return this;
        }

        ObservedHold get() {
            return new ObservedHold(
                    client, node, "gate", fence, asked, asked, inLine, granted, confirmed, ended);
        }
    }
}
