package io.holdfast.lockd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A command about a lock")
class LockdOperationTest {
    @ParameterizedTest
    @CsvSource({
        "GET, 1, Lock Get Success: a b",
        "GET, 0, Lock Get Failure: a b",
        "RELEASE, 1, Lock Release Success: a b",
        "RELEASE, 0, Lock Release Failure: a b",
        "INSPECT, 1, Lock Is Locked: a b",
        "INSPECT, 0, Lock Not Locked: a b",
        "GET_SHARED, 17, Shared Lock Get Success: a b",
        "GET_SHARED, 0, Shared Lock Get Failure: a b",
        "RELEASE_SHARED, 1, Shared Lock Release Success: a b",
        "RELEASE_SHARED, 0, Shared Lock Release Failure: a b",
        "INSPECT_SHARED, 999999999999999999, Shared Lock Is Locked: a b",
        "INSPECT_SHARED, 0, Shared Lock Not Locked: a b",
    })
    void a_command_accepts_its_own_responses(LockdOperation command, long number, String text)
            throws Exception {
        assertThat(command.parse(number + " " + text, "a b"))
                .isEqualTo(new LockdReply(number, text));
    }

    @ParameterizedTest
    @CsvSource({
        "GET, 1 Lock Get Success: other",
        "GET, 1 Lock Get Success: a",
        "GET, 1 Lock Get Success: a b c",
        "GET, 1 Lock Get Failure: a b",
        "GET, 0 Lock Get Success: a b",
        "GET, 2 Lock Get Success: a b",
        "GET, 1 Shared Lock Get Success: a b",
        "GET, 1 Lock Release Success: a b",
        "GET, 1  Lock Get Success: a b",
        "GET, Lock Get Success: a b",
        "GET, 1 ok",
        "GET, 0 disabled",
        "GET_SHARED, 01 Shared Lock Get Success: a b",
        "GET_SHARED, -1 Shared Lock Get Success: a b",
        "GET_SHARED, 1e3 Shared Lock Get Success: a b",
        "GET_SHARED, 1000000000000000000 Shared Lock Get Success: a b",
        "RELEASE_SHARED, 2 Shared Lock Release Success: a b",
    })
    void a_lockd_operation_refuses_a_line_that_is_not_its_response(
            LockdOperation command, String line) {
        assertThatThrownBy(() -> command.parse(line, "a b"))
                .isInstanceOf(LockdProtocolException.class)
                .hasMessageStartingWith("Unexpected response to '" + command.verb() + " a b': ");
    }
}
