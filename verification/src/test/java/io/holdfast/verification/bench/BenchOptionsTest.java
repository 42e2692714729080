package io.holdfast.verification.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A bench options")
class BenchOptionsTest {
    @Test
    void every_worker_has_its_own_key_with_the_prefix() {
        var keys = TestBenchOptions.options(500, 1, "load", false).workerKeys();
        assertThat(keys).hasSize(500).doesNotHaveDuplicates();
        assertThat(keys).allMatch(key -> key.matches("load_[0-9]+"));
    }

    @Test
    void each_plan_uses_different_keys() {
        var options = TestBenchOptions.options(10, 1, "load", false);
        assertThat(options.workerKeys()).doesNotContainAnyElementsOf(options.workerKeys());
    }

    @Test
    void with_a_shared_key_all_workers_have_exactly_that_key() {
        assertThat(TestBenchOptions.options(3, 1, "load", true).workerKeys())
                .containsExactly("load", "load", "load");
    }

    @Test
    void workers_are_assigned_to_servers_round_robin() {
        var options = TestBenchOptions.options(3, 1, "load", false);
        assertThat(options.serverOf(0).port()).isEqualTo(6388);
        assertThat(options.serverOf(1).port()).isEqualTo(6389);
        assertThat(options.serverOf(2).port()).isEqualTo(6388);
    }

    @Test
    void more_rounds_than_an_array_can_hold_are_rejected() {
        assertThatThrownBy(() -> TestBenchOptions.options(1_000_000, 1_000_000, "load", false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--rounds");
    }

    @Test
    void a_key_that_does_not_fit_a_line_with_its_suffix_is_rejected() {
        assertThat(
                        TestBenchOptions.options(1, 1, "k".repeat(235), false)
                                .workerKeys()
                                .getFirst()
                                .length())
                .isLessThanOrEqualTo(256);
        assertThatThrownBy(() -> TestBenchOptions.options(1, 1, "k".repeat(236), false))
                .hasMessage("--key is longer than 235 bytes");
        assertThat(TestBenchOptions.options(1, 1, "k".repeat(256), true).workerKeys()).hasSize(1);
    }
}
