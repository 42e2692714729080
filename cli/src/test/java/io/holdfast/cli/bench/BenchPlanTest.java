package io.holdfast.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A bench plan")
class BenchPlanTest {
    @Test
    void gives_every_worker_a_key_of_its_own_with_the_prefix() {
        var keys = Plans.plan(500, 1, "load", false).workerKeys();
        assertThat(keys).hasSize(500).doesNotHaveDuplicates();
        assertThat(keys).allMatch(key -> key.matches("load_[0-9]+"));
    }

    @Test
    void uses_other_keys_each_time() {
        var plan = Plans.plan(10, 1, "load", false);
        assertThat(plan.workerKeys()).doesNotContainAnyElementsOf(plan.workerKeys());
    }

    @Test
    void with_a_shared_key_gives_all_workers_exactly_that_key() {
        assertThat(Plans.plan(3, 1, "load", true).workerKeys())
                .containsExactly("load", "load", "load");
    }

    @Test
    void spreads_the_workers_over_the_servers_in_turn() {
        var plan = Plans.plan(3, 1, "load", false);
        assertThat(plan.serverOf(0).port()).isEqualTo(6388);
        assertThat(plan.serverOf(1).port()).isEqualTo(6389);
        assertThat(plan.serverOf(2).port()).isEqualTo(6388);
    }

    @Test
    void refuses_more_rounds_than_an_array_can_hold() {
        assertThatThrownBy(() -> Plans.plan(1_000_000, 1_000_000, "load", false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--rounds");
    }

    @Test
    void refuses_a_key_that_would_not_fit_a_line_with_its_number() {
        assertThat(Plans.plan(1, 1, "k".repeat(235), false).workerKeys().getFirst().length())
                .isLessThanOrEqualTo(256);
        assertThatThrownBy(() -> Plans.plan(1, 1, "k".repeat(236), false))
                .hasMessage("--key is longer than 235 bytes");
        assertThat(Plans.plan(1, 1, "k".repeat(256), true).workerKeys()).hasSize(1);
    }
}
