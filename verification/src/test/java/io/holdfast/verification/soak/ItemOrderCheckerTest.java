package io.holdfast.verification.soak;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The order checker")
class ItemOrderCheckerTest {
    private final ItemOrderChecker itemOrderChecker = new ItemOrderChecker("here", 2);

    @Test
    void items_may_have_gaps_and_each_worker_is_checked_separately() throws CheckFailedException {
        itemOrderChecker.advance(new NumberedPayload(0, 4));
        itemOrderChecker.advance(new NumberedPayload(1, 0));
        itemOrderChecker.advance(new NumberedPayload(0, 7));
        itemOrderChecker.advance(new NumberedPayload(1, 1));
    }

    @Test
    void an_item_after_a_later_one_of_its_worker_fails_the_check() throws CheckFailedException {
        itemOrderChecker.advance(new NumberedPayload(1, 4));
        assertThatThrownBy(() -> itemOrderChecker.advance(new NumberedPayload(1, 3)))
                .isInstanceOf(CheckFailedException.class)
                .hasMessage("here: item 3 of worker 1 came after item 4");
    }

    @Test
    void a_repeated_item_fails_the_check_unless_it_is_allowed() throws CheckFailedException {
        itemOrderChecker.advance(new NumberedPayload(1, 4));
        itemOrderChecker.advanceOrStay(new NumberedPayload(1, 4), itemOrderChecker.floor());
        assertThatThrownBy(() -> itemOrderChecker.advance(new NumberedPayload(1, 4)))
                .isInstanceOf(CheckFailedException.class)
                .hasMessage("here: item 4 of worker 1 came twice");
    }

    @Test
    void responses_to_concurrent_requests_may_arrive_in_any_order() throws CheckFailedException {
        var floor = itemOrderChecker.floor();
        itemOrderChecker.advance(new NumberedPayload(0, 1), floor);
        itemOrderChecker.advance(new NumberedPayload(0, 0), floor);
    }

    @Test
    void a_request_sent_later_must_not_return_an_earlier_item() throws CheckFailedException {
        var floor = itemOrderChecker.floor();
        itemOrderChecker.advance(new NumberedPayload(0, 1), floor);
        assertThatThrownBy(
                        () ->
                                itemOrderChecker.advance(
                                        new NumberedPayload(0, 0), itemOrderChecker.floor()))
                .hasMessage("here: item 0 of worker 0 came after item 1");
    }

    @Test
    void a_written_item_counts_as_well_as_one_that_was_read() throws CheckFailedException {
        itemOrderChecker.advanceOrStay(new NumberedPayload(0, 3), itemOrderChecker.floor());
        itemOrderChecker.reach(new NumberedPayload(0, 3)); // seen before the writer knew
        itemOrderChecker.reach(new NumberedPayload(0, 4));
        assertThatThrownBy(
                        () ->
                                itemOrderChecker.advanceOrStay(
                                        new NumberedPayload(0, 3), itemOrderChecker.floor()))
                .hasMessage("here: item 3 of worker 0 came after item 4");
    }
}
