package io.holdfast.cli.soak;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The progress of each worker's items")
class ProgressTest {
    private final Progress progress = new Progress("here", 2);

    @Test
    void may_have_gaps_and_is_apart_for_each_worker() throws CheckFailedException {
        progress.advance(new Item(0, 4));
        progress.advance(new Item(1, 0));
        progress.advance(new Item(0, 7));
        progress.advance(new Item(1, 1));
    }

    @Test
    void does_not_go_back() throws CheckFailedException {
        progress.advance(new Item(1, 4));
        assertThatThrownBy(() -> progress.advance(new Item(1, 3)))
                .isInstanceOf(CheckFailedException.class)
                .hasMessage("here: item 3 of worker 1 came after item 4");
    }

    @Test
    void does_not_stand_still_unless_it_may() throws CheckFailedException {
        progress.advance(new Item(1, 4));
        progress.advanceOrStay(new Item(1, 4), progress.floor());
        assertThatThrownBy(() -> progress.advance(new Item(1, 4)))
                .isInstanceOf(CheckFailedException.class)
                .hasMessage("here: item 4 of worker 1 came twice");
    }

    @Test
    void lets_answers_to_concurrent_requests_arrive_in_any_order() throws CheckFailedException {
        var floor = progress.floor();
        progress.advance(new Item(0, 1), floor);
        progress.advance(new Item(0, 0), floor);
    }

    @Test
    void does_not_go_back_for_who_asks_later() throws CheckFailedException {
        var floor = progress.floor();
        progress.advance(new Item(0, 1), floor);
        assertThatThrownBy(() -> progress.advance(new Item(0, 0), progress.floor()))
                .hasMessage("here: item 0 of worker 0 came after item 1");
    }

    @Test
    void counts_what_was_written_as_well_as_what_was_seen() throws CheckFailedException {
        progress.advanceOrStay(new Item(0, 3), progress.floor());
        progress.reach(new Item(0, 3)); // seen before the writer knew
        progress.reach(new Item(0, 4));
        assertThatThrownBy(() -> progress.advanceOrStay(new Item(0, 3), progress.floor()))
                .hasMessage("here: item 3 of worker 0 came after item 4");
    }
}
