package io.holdfast.verification.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.console.options.ServerAddress;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

@DisplayName("An item, as the soak test sends it")
class NumberedPayloadTest {
    private final SoakCycle soakCycle =
            new SoakCycle(
                    new SoakOptions(
                            List.of(ServerAddress.parse("127.0.0.1:1")), 4, 20, 1, null, null),
                    new StopRequest());

    @Test
    void an_item_is_parsed_from_its_text() throws CheckFailedException {
        var numberedPayload = new NumberedPayload(3, 20);
        assertThat(NumberedPayload.parse(numberedPayload.text(), soakCycle, "here"))
                .isEqualTo(numberedPayload);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "late",
                "3 20 is \"<b>\" & caf\u00e9 ",
                " 3 20 is \"<b>\" & caf\u00e9",
                " 3  20 is \"<b>\" & caf\u00e9 ",
                " 3 20 is \"<b>\" & caf\ufffd ",
                " 3 20 is \"\\u003cb>\" & caf\u00e9 ",
                " 4 20 is \"<b>\" & caf\u00e9 ",
                " 3 21 is \"<b>\" & caf\u00e9 ",
                " -1 2 is \"<b>\" & caf\u00e9 ",
                " 3 99999999999 is \"<b>\" & caf\u00e9 "
            })
    void a_text_that_no_worker_sends_is_rejected(String text) {
        assertThatThrownBy(() -> NumberedPayload.parse(text, soakCycle, "here"))
                .isInstanceOf(CheckFailedException.class)
                .hasMessage("here: got \"" + text + "\", which no worker sent");
    }
}
