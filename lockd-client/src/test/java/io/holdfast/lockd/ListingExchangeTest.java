package io.holdfast.lockd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

@DisplayName("A listing")
class ListingExchangeTest {
    private final List<String> lines = new ArrayList<>();
    private final ListingExchange<List<String>> listingExchange =
            new ListingExchange<>(
                    "d", "It is disabled.", lines::add, lines, new ListingSizeLimit(1000));
    private final String opening = listingExchange.opening();
    private final String first = responseTo(opening.substring("d\n".length()));

    @Test
    void a_listing_sends_its_command_followed_by_a_marker() {
        assertThat(opening).matches("d\ni [0-9a-f-]{36}\n");
    }

    @Test
    void a_listing_ends_at_the_response_to_its_marker() throws Exception {
        listingExchange.line("a: 1");
        listingExchange.line("b: 2");
        assertThat(listingExchange.isOver()).isFalse();
        listingExchange.line(first);
        assertThat(listingExchange.awaitUninterruptibly()).containsExactly("a: 1", "b: 2");
    }

    @Test
    void a_listing_may_be_empty() throws Exception {
        listingExchange.line(first);
        assertThat(listingExchange.awaitUninterruptibly()).isEmpty();
    }

    @Test
    void a_listing_ignores_markers_of_others() throws Exception {
        listingExchange.line("0 Lock Not Locked: 4a8a08f0-9d37-4737-9564-9038408b5f33");
        assertThat(listingExchange.isOver()).isFalse();
    }

    @Test
    void a_listing_whose_marker_was_lost_ends_at_the_second_one() throws Exception {
        listingExchange.line("a: 1");
        String second = responseTo(listingExchange.onReadTimeout());
        assertThat(second).isNotEqualTo(first);
        listingExchange.line(second);
        assertThat(listingExchange.awaitUninterruptibly()).containsExactly("a: 1");
    }

    @Test
    void a_listing_whose_first_marker_was_late_also_waits_for_the_second_ones_response()
            throws Exception {
        String second = responseTo(listingExchange.onReadTimeout());
        listingExchange.line("a: 1");
        listingExchange.line(first);
        assertThat(listingExchange.isOver()).isFalse();
        listingExchange.line(second);
        assertThat(listingExchange.awaitUninterruptibly()).containsExactly("a: 1");
    }

    @Test
    void a_slow_listing_sends_further_markers() throws Exception {
        listingExchange.onReadTimeout();
        listingExchange.line("a: 1");
        listingExchange.onReadTimeout();
        listingExchange.line("b: 2");
        String last = responseTo(listingExchange.onReadTimeout());
        listingExchange.line(last);
        assertThat(listingExchange.awaitUninterruptibly()).containsExactly("a: 1", "b: 2");
    }

    @Test
    void a_listing_without_a_line_after_its_second_marker_fails() throws Exception {
        listingExchange.line("a: 1");
        listingExchange.onReadTimeout();
        assertThatThrownBy(listingExchange::onReadTimeout)
                .isInstanceOf(LockdProtocolException.class)
                .hasMessage("Expected 1 line but got 0");
    }

    @Test
    void a_line_after_the_end_of_a_listing_is_refused() throws Exception {
        listingExchange.onReadTimeout();
        listingExchange.line(first);
        assertThatThrownBy(() -> listingExchange.line("a: 1")).hasMessage("Unexpected line: a: 1");
    }

    @Test
    void a_disabled_listing_fails_at_the_response_to_its_marker() throws Exception {
        listingExchange.line("0 disabled");
        assertThat(listingExchange.isOver()).isFalse();
        listingExchange.line(first);
        assertThatThrownBy(listingExchange::awaitUninterruptibly)
                .hasCauseInstanceOf(LockdDisabledException.class)
                .hasMessageContaining("It is disabled.");
    }

    @Test
    void a_line_after_a_disabled_response_is_refused() throws Exception {
        listingExchange.line("0 disabled");
        assertThatThrownBy(() -> listingExchange.line("a: 1"))
                .isInstanceOf(LockdProtocolException.class);
    }

    @Test
    void the_size_of_a_listing_is_limited() throws Exception {
        listingExchange.line("x".repeat(400));
        assertThatThrownBy(() -> listingExchange.line("x".repeat(401)))
                .isInstanceOf(LockdProtocolException.class)
                .hasMessage("A response of more than 1000 bytes");
    }

    private static String responseTo(String marker) {
        return "0 Lock Not Locked: " + marker.strip().substring("i ".length());
    }
}
