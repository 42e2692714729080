package io.holdfast.verification.soak;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.console.json.JsonValue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The check of the statistics")
class StatsScenarioTest {
    private static void check(String json) throws CheckFailedException {
        StatsScenario.check((JsonValue.ObjectValue) JsonValue.parse(json), "soak_1");
    }

    @Test
    void entries_of_other_clients_and_idle_or_empty_entries_pass() throws CheckFailedException {
        check(
                """
                {"connections":3,
                 "locks":[{"key":"soak_2_lock","owner_conn_id":4,"waiters":0}],
                 "semaphores":[{"key":"pool","limit":3,"holders":1,"waiters":0}],
                 "idle_locks":[{"key":"soak_1_lock","idle_s":0.1}],
                 "counters":[{"key":"soak_1_counter","value":0,"idle_s":1},{"key":"hits","value":7}],
                 "kv_entries":[{"key":"soak_2_kv","value_len":3,"ttl":0,"idle_s":1}],
                 "lists":[{"key":"soak_1_list","len":0,"idle_s":1},{"key":"jobs","len":2}],
                 "signal_channels":null}
                """);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    locks           | {"key":"soak_1_lock","waiters":0}
                    semaphores      | {"key":"soak_1_sem","holders":1}
                    signal_channels | {"pattern":"soak_1.\\u003e","listeners":1}
                    signal_channels | {"pattern":"soak_1_a","group":"g","listeners":1}
                    counters        | {"key":"soak_1_counter","value":-1}
                    kv_entries      | {"key":"soak_1_kv","value_len":0,"ttl":0}
                    lists           | {"key":"soak_1_list","len":2}
                    """)
    void an_entry_that_this_cycle_left_behind_fails_the_check(String array, String entry) {
        var json = "{\"locks\":[],\"semaphores\":[],\"" + array + "\":[" + entry + "]}";
        assertThatThrownBy(() -> check(json))
                .isInstanceOf(CheckFailedException.class)
                .hasMessageStartingWith("left over in " + array + ": \"soak_1");
    }

    @Test
    void statistics_without_locks_fail_the_check() {
        assertThatThrownBy(() -> check("{\"semaphores\":[]}"))
                .isInstanceOf(CheckFailedException.class);
    }
}
