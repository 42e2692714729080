package io.holdfast.cli.soak;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The progress of each worker's items")
class OrderCheckerTest {
    private final OrderChecker orderChecker = new OrderChecker("here", 2);

    @Test
    void may_have_gaps_and_is_apart_for_each_worker() throws CheckFailedException {
        orderChecker.advance(new SoakItem(0, 4));
        orderChecker.advance(new SoakItem(1, 0));
        orderChecker.advance(new SoakItem(0, 7));
        orderChecker.advance(new SoakItem(1, 1));
    }

    @Test
    void does_not_go_back() throws CheckFailedException {
        orderChecker.advance(new SoakItem(1, 4));
        assertThatThrownBy(() -> orderChecker.advance(new SoakItem(1, 3)))
                .isInstanceOf(CheckFailedException.class)
                .hasMessage("here: item 3 of worker 1 came after item 4");
    }

    @Test
    void does_not_stand_still_unless_it_may() throws CheckFailedException {
        orderChecker.advance(new SoakItem(1, 4));
        orderChecker.advanceOrStay(new SoakItem(1, 4), orderChecker.floor());
        assertThatThrownBy(() -> orderChecker.advance(new SoakItem(1, 4)))
                .isInstanceOf(CheckFailedException.class)
                .hasMessage("here: item 4 of worker 1 came twice");
    }

    @Test
    void lets_answers_to_concurrent_requests_arrive_in_any_order() throws CheckFailedException {
        var floor = orderChecker.floor();
        orderChecker.advance(new SoakItem(0, 1), floor);
        orderChecker.advance(new SoakItem(0, 0), floor);
    }

    @Test
    void does_not_go_back_for_who_asks_later() throws CheckFailedException {
        var floor = orderChecker.floor();
        orderChecker.advance(new SoakItem(0, 1), floor);
        assertThatThrownBy(() -> orderChecker.advance(new SoakItem(0, 0), orderChecker.floor()))
                .hasMessage("here: item 0 of worker 0 came after item 1");
    }

    @Test
    void counts_what_was_written_as_well_as_what_was_seen() throws CheckFailedException {
        orderChecker.advanceOrStay(new SoakItem(0, 3), orderChecker.floor());
        orderChecker.reach(new SoakItem(0, 3)); // seen before the writer knew
        orderChecker.reach(new SoakItem(0, 4));
        assertThatThrownBy(
                        () -> orderChecker.advanceOrStay(new SoakItem(0, 3), orderChecker.floor()))
                .hasMessage("here: item 3 of worker 0 came after item 4");
    }
}
