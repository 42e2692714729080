package io.holdfast.cli.soak;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The receipts of items")
class DeliveryCheckerTest {
    private final DeliveryChecker deliveryChecker = new DeliveryChecker("here", 2);

    @Test
    void are_complete_in_whatever_order_items_came() throws CheckFailedException {
        for (int number : new int[] {2, 0, 1}) {
            deliveryChecker.add(new SoakItem(0, number));
        }
        deliveryChecker.check(0, 3);
        deliveryChecker.check(1, 0);
    }

    @Test
    void refuse_an_item_that_came_before() throws CheckFailedException {
        deliveryChecker.add(new SoakItem(0, 1));
        deliveryChecker.add(new SoakItem(1, 1));
        assertThatThrownBy(() -> deliveryChecker.add(new SoakItem(1, 1)))
                .isInstanceOf(CheckFailedException.class)
                .hasMessage("here: item 1 of worker 1 came twice");
    }

    @Test
    void name_the_first_item_that_is_missing() throws CheckFailedException {
        deliveryChecker.add(new SoakItem(0, 0));
        deliveryChecker.add(new SoakItem(0, 3));
        assertThatThrownBy(() -> deliveryChecker.check(0, 4))
                .isInstanceOf(CheckFailedException.class)
                .hasMessage("here: item 1 of worker 0 never came");
    }

    @Test
    void refuse_more_than_was_sent() throws CheckFailedException {
        deliveryChecker.add(new SoakItem(0, 0));
        deliveryChecker.add(new SoakItem(0, 1));
        assertThatThrownBy(() -> deliveryChecker.check(0, 1))
                .isInstanceOf(CheckFailedException.class)
                .hasMessage("here: item 1 of worker 0 came, but nobody sent it");
    }
}
