package io.holdfast.lockd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The counters")
class StatsExchangeTest {
    private final StatsExchange statsExchange = new StatsExchange(new ListingSizeLimit(100_000));

    @Test
    void the_counters_end_with_the_last_name() throws Exception {
        statsExchange.line("command_who: 7");
        statsExchange.line("shared_locks: 0");
        assertThat(statsExchange.isOver()).isFalse();
        statsExchange.line("shared_orphans: 123456789012");
        assertThat(statsExchange.awaitUninterruptibly())
                .containsExactly(
                        entry("command_who", 7L),
                        entry("shared_locks", 0L),
                        entry("shared_orphans", 123456789012L));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "locks",
                "locks:1",
                "locks: ",
                "locks: x",
                "locks: 1 ",
                "locks: 9999999999999999999",
                "0 disabled"
            })
    void a_counter_that_is_no_number_is_refused(String line) {
        assertThatThrownBy(() -> statsExchange.line(line))
                .isInstanceOf(LockdProtocolException.class);
    }

    @Test
    void the_size_of_the_counters_is_limited() {
        assertThatThrownBy(
                        () -> {
                            for (int i = 0; i < 1000; i++) {
                                statsExchange.line("counter_" + i + ": 1");
                            }
                        })
                .hasMessage("A response of more than 100000 bytes");
    }
}
