package io.holdfast.cli.soak;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The receipts of items")
class ReceiptsTest {
    private final Receipts receipts = new Receipts("here", 2);

    @Test
    void are_complete_in_whatever_order_items_came() throws CheckFailedException {
        for (int number : new int[] {2, 0, 1}) {
            receipts.add(new Item(0, number));
        }
        receipts.check(0, 3);
        receipts.check(1, 0);
    }

    @Test
    void refuse_an_item_that_came_before() throws CheckFailedException {
        receipts.add(new Item(0, 1));
        receipts.add(new Item(1, 1));
        assertThatThrownBy(() -> receipts.add(new Item(1, 1)))
                .isInstanceOf(CheckFailedException.class)
                .hasMessage("here: item 1 of worker 1 came twice");
    }

    @Test
    void name_the_first_item_that_is_missing() throws CheckFailedException {
        receipts.add(new Item(0, 0));
        receipts.add(new Item(0, 3));
        assertThatThrownBy(() -> receipts.check(0, 4))
                .isInstanceOf(CheckFailedException.class)
                .hasMessage("here: item 1 of worker 0 never came");
    }

    @Test
    void refuse_more_than_was_sent() throws CheckFailedException {
        receipts.add(new Item(0, 0));
        receipts.add(new Item(0, 1));
        assertThatThrownBy(() -> receipts.check(0, 1))
                .isInstanceOf(CheckFailedException.class)
                .hasMessage("here: item 1 of worker 0 came, but nobody sent it");
    }
}
