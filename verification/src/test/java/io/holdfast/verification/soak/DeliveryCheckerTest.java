package io.holdfast.verification.soak;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The delivery checker")
class DeliveryCheckerTest {
    private final DeliveryChecker deliveryChecker = new DeliveryChecker("here", 2);

    @Test
    void items_are_complete_in_whatever_order_they_arrived() throws CheckFailedException {
        for (int number : new int[] {2, 0, 1}) {
            deliveryChecker.add(new NumberedPayload(0, number));
        }
        deliveryChecker.check(0, 3);
        deliveryChecker.check(1, 0);
    }

    @Test
    void an_item_that_arrives_twice_fails_the_check() throws CheckFailedException {
        deliveryChecker.add(new NumberedPayload(0, 1));
        deliveryChecker.add(new NumberedPayload(1, 1));
        assertThatThrownBy(() -> deliveryChecker.add(new NumberedPayload(1, 1)))
                .isInstanceOf(CheckFailedException.class)
                .hasMessage("here: item 1 of worker 1 came twice");
    }

    @Test
    void a_missing_item_fails_the_check_and_is_named() throws CheckFailedException {
        deliveryChecker.add(new NumberedPayload(0, 0));
        deliveryChecker.add(new NumberedPayload(0, 3));
        assertThatThrownBy(() -> deliveryChecker.check(0, 4))
                .isInstanceOf(CheckFailedException.class)
                .hasMessage("here: item 1 of worker 0 never came");
    }

    @Test
    void an_item_that_was_never_sent_fails_the_check() throws CheckFailedException {
        deliveryChecker.add(new NumberedPayload(0, 0));
        deliveryChecker.add(new NumberedPayload(0, 1));
        assertThatThrownBy(() -> deliveryChecker.check(0, 1))
                .isInstanceOf(CheckFailedException.class)
                .hasMessage("here: item 1 of worker 0 came, but no worker sent it");
    }
}
