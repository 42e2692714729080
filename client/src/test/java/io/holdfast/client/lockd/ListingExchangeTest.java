package io.holdfast.client.lockd;

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
    private final String first = answerTo(opening.substring("d\n".length()));

    @Test
    void is_one_command_with_its_mark_right_behind() {
        assertThat(opening).matches("d\ni [0-9a-f-]{36}\n");
    }

    @Test
    void ends_at_the_answer_to_its_mark() throws Exception {
        listingExchange.line("a: 1");
        listingExchange.line("b: 2");
        assertThat(listingExchange.isOver()).isFalse();
        listingExchange.line(first);
        assertThat(listingExchange.awaitUninterruptibly()).containsExactly("a: 1", "b: 2");
    }

    @Test
    void may_have_no_lines() throws Exception {
        listingExchange.line(first);
        assertThat(listingExchange.awaitUninterruptibly()).isEmpty();
    }

    @Test
    void takes_no_other_mark_than_its_own() throws Exception {
        listingExchange.line("0 Lock Not Locked: 4a8a08f0-9d37-4737-9564-9038408b5f33");
        assertThat(listingExchange.isOver()).isFalse();
    }

    @Test
    void whose_mark_was_lost_ends_at_the_second_one() throws Exception {
        listingExchange.line("a: 1");
        String second = answerTo(listingExchange.onReadTimeout());
        assertThat(second).isNotEqualTo(first);
        listingExchange.line(second);
        assertThat(listingExchange.awaitUninterruptibly()).containsExactly("a: 1");
    }

    @Test
    void whose_first_mark_was_late_also_takes_the_second_ones_answer() throws Exception {
        String second = answerTo(listingExchange.onReadTimeout());
        listingExchange.line("a: 1");
        listingExchange.line(first);
        assertThat(listingExchange.isOver()).isFalse();
        listingExchange.line(second);
        assertThat(listingExchange.awaitUninterruptibly()).containsExactly("a: 1");
    }

    @Test
    void that_only_slows_down_gets_further_marks() throws Exception {
        listingExchange.onReadTimeout();
        listingExchange.line("a: 1");
        listingExchange.onReadTimeout();
        listingExchange.line("b: 2");
        String last = answerTo(listingExchange.onReadTimeout());
        listingExchange.line(last);
        assertThat(listingExchange.awaitUninterruptibly()).containsExactly("a: 1", "b: 2");
    }

    @Test
    void that_brings_nothing_after_its_second_mark_is_missed() throws Exception {
        listingExchange.line("a: 1");
        listingExchange.onReadTimeout();
        assertThatThrownBy(listingExchange::onReadTimeout)
                .isInstanceOf(LockdProtocolException.class)
                .hasMessage("Expected 1 line but got 0");
    }

    @Test
    void has_no_line_after_its_end() throws Exception {
        listingExchange.onReadTimeout();
        listingExchange.line(first);
        assertThatThrownBy(() -> listingExchange.line("a: 1")).hasMessage("Unexpected line: a: 1");
    }

    @Test
    void that_is_disabled_says_so_once_its_mark_is_answered() throws Exception {
        listingExchange.line("0 disabled");
        assertThat(listingExchange.isOver()).isFalse();
        listingExchange.line(first);
        assertThatThrownBy(listingExchange::awaitUninterruptibly)
                .hasCauseInstanceOf(LockdDisabledException.class)
                .hasMessageContaining("It is disabled.");
    }

    @Test
    void that_is_disabled_has_no_lines() throws Exception {
        listingExchange.line("0 disabled");
        assertThatThrownBy(() -> listingExchange.line("a: 1"))
                .isInstanceOf(LockdProtocolException.class);
    }

    @Test
    void has_a_limited_size() throws Exception {
        listingExchange.line("x".repeat(400));
        assertThatThrownBy(() -> listingExchange.line("x".repeat(401)))
                .isInstanceOf(LockdProtocolException.class)
                .hasMessage("A response of more than 1000 bytes");
    }

    private static String answerTo(String mark) {
        return "0 Lock Not Locked: " + mark.strip().substring("i ".length());
    }
}
