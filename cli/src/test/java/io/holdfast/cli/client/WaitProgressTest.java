package io.holdfast.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.client.KeyInfo;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

@DisplayName("The report of a wait")
class WaitProgressTest {
    private static KeyInfo.ResourceInfo standing(
            long held, long waiters, OptionalLong position, String... labels) {
        List<KeyInfo.Holder> holders =
                Stream.of(labels)
                        .map(
                                label ->
                                        new KeyInfo.Holder(
                                                7,
                                                label,
                                                OptionalLong.empty(),
                                                false,
                                                Optional.empty()))
                        .toList();
        return new KeyInfo.ResourceInfo(5, held, waiters, holders, position);
    }

    @Test
    void the_text_shows_the_holder_and_the_position() {
        assertThat(WaitProgress.text("deploy", standing(1, 3, OptionalLong.of(2), "web-1:4711")))
                .isEqualTo("Waiting for deploy, held by web-1:4711; position 2 of 3");
    }

    @Test
    void holders_beyond_the_first_three_are_counted() {
        assertThat(
                        WaitProgress.text(
                                "k", standing(5, 1, OptionalLong.of(1), "a", "b", "", "d", "e")))
                .isEqualTo(
                        "Waiting for k, held by a, b, an unnamed client and 2 more; position 1 of"
                                + " 1");
    }

    @Test
    void the_number_of_waiters_is_shown_if_there_is_no_position() {
        assertThat(WaitProgress.text("k", standing(0, 2, OptionalLong.empty())))
                .isEqualTo("Waiting for k; waiting: 2");
    }
}
