package io.holdfast.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.memory.FixedSizeMemoryBudget;
import io.holdfast.driver.memory.MemoryBudgets;
import io.holdfast.engine.Key;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

@DisplayName("The quotas of a local driver")
class LocalQuotasTest {
    private static final Key KEY = Key.of("key");

    private final AtomicBoolean memoryLeft = new AtomicBoolean(true);

    @Test
    void quotas_admit_as_many_keys_as_allowed_and_returned_ones_again() {
        LocalQuotas quotas = quotas(2);
        assertThat(quotas.reserveKey(KEY, null)).isTrue();
        assertThat(quotas.reserveKey(KEY, null)).isTrue();
        for (int i = 0; i < 10; i++) {
            assertThat(quotas.reserveKey(KEY, null)).isFalse();
        }
        quotas.returnKey(KEY, null);
        assertThat(quotas.reserveKey(KEY, null)).isTrue();
        assertThat(quotas.reserveKey(KEY, null)).isFalse();
    }

    @Test
    void a_limit_of_zero_keys_is_no_limit() {
        LocalQuotas quotas = quotas(0);
        for (int i = 0; i < 10_000; i++) {
            assertThat(quotas.reserveKey(KEY, null)).isTrue();
        }
    }

    @Test
    void nothing_is_reserved_while_the_memory_budget_is_used_up() {
        LocalQuotas quotas = quotas(1);
        memoryLeft.set(false);
        assertThat(quotas.reserveHold(null)).isFalse();
        assertThat(quotas.reserveKey(KEY, null)).isFalse();
        assertThat(quotas.reserveTransientKey(KEY, null)).isFalse();
        memoryLeft.set(true);
        assertThat(quotas.reserveHold(null)).isTrue();
        assertThat(quotas.reserveKey(KEY, null)).isTrue();
        assertThat(quotas.reserveKey(KEY, null)).isFalse();
    }

    @Test
    void a_hold_that_passes_to_another_client_counts_for_that_client() {
        LocalQuotas quotas = quotas(0);
        ClientUsage from = new ClientUsage();
        ClientUsage to = new ClientUsage();
        assertThat(quotas.reserveHold(from)).isTrue();
        quotas.passHold(from, to);
        assertThat(from.isFull(ClientUsage.Counted.HOLD, 1)).isFalse();
        assertThat(to.isFull(ClientUsage.Counted.HOLD, 1)).isTrue();
        quotas.passHold(to, null);
        assertThat(to.isFull(ClientUsage.Counted.HOLD, 1)).isFalse();
    }

    @Test
    void all_reserved_memory_is_released() {
        AtomicLong pieces = new AtomicLong();
        FixedSizeMemoryBudget counting =
                new FixedSizeMemoryBudget() {
                    @Override
                    public boolean tryReserve() {
                        pieces.incrementAndGet();
                        return true;
                    }

                    @Override
                    public void release() {
                        pieces.decrementAndGet();
                    }
                };
        LocalQuotas quotas = quotas(new KeyCountLimits(1, 1, 1), counting);
        assertThat(quotas.reserveKey(KEY, null)).isTrue();
        assertThat(quotas.reserveKey(KEY, null)).as("refused").isFalse();
        assertThat(pieces).hasValue(1);
        assertThat(quotas.reserveHold(null)).isTrue();
        assertThat(pieces).hasValue(2);
        assertThat(quotas.reserveTransientKey(KEY, null)).isTrue();
        assertThat(quotas.reserveTransientKey(KEY, null)).as("refused").isFalse();
        assertThat(pieces).hasValue(3);
        quotas.returnTransientKey(KEY, null);
        quotas.returnHold(null);
        quotas.returnKey(KEY, null);
        assertThat(pieces).hasValue(0);
    }

    @Test
    void transient_keys_are_counted_apart_from_keys_and_entries() {
        LocalQuotas quotas = quotas(new KeyCountLimits(1, 2, 1), memoryLeft::get);
        assertThat(quotas.reserveKey(KEY, null)).isTrue();
        assertThat(quotas.reserveEntry(KEY, null)).isTrue();
        assertThat(quotas.reserveTransientKey(KEY, null)).isTrue();
        assertThat(quotas.reserveTransientKey(KEY, null)).isTrue();
        for (int i = 0; i < 10; i++) {
            assertThat(quotas.reserveTransientKey(KEY, null)).isFalse();
        }
        quotas.returnKey(KEY, null);
        quotas.returnEntry(KEY, null);
        assertThat(quotas.reserveTransientKey(KEY, null))
                .as("a released key does not leave capacity for a transient key")
                .isFalse();
        quotas.returnTransientKey(KEY, null);
        assertThat(quotas.reserveTransientKey(KEY, null)).isTrue();
        assertThat(quotas.reserveTransientKey(KEY, null)).isFalse();
        assertThat(quotas.reserveKey(KEY, null)).isTrue();
        assertThat(quotas.reserveEntry(KEY, null)).isTrue();
    }

    @Test
    void a_limit_of_zero_transient_keys_is_no_limit() {
        LocalQuotas quotas = quotas(new KeyCountLimits(1, 0, 1), memoryLeft::get);
        for (int i = 0; i < 10_000; i++) {
            assertThat(quotas.reserveTransientKey(KEY, null)).isTrue();
        }
    }

    @Test
    void the_limits_of_a_client_are_enforced() {
        LocalQuotas quotas =
                quotas(KeyCountLimits.NONE, new ClientLimits(2, 1, 1), MemoryBudgets.UNLIMITED);
        ClientUsage alice = new ClientUsage();
        ClientUsage bob = new ClientUsage();
        assertThat(quotas.reserveKey(KEY, alice)).isTrue();
        assertThat(quotas.reserveTransientKey(KEY, alice)).isTrue();
        assertThat(quotas.reserveKey(KEY, alice)).as("a third name").isFalse();
        assertThat(quotas.reserveHold(alice)).isTrue();
        assertThat(quotas.reserveWait(alice)).isTrue();
        assertThat(quotas.reserveWait(alice)).as("a second wait").isFalse();
        quotas.grantWait(alice);
        assertThat(quotas.reserveWait(alice)).as("the first is a hold now").isTrue();
        assertThat(quotas.reserveHold(alice)).as("a third hold").isFalse();
        assertThat(quotas.reserveEntry(KEY, alice)).isTrue();
        assertThat(quotas.reserveEntry(KEY, alice)).as("a second entry").isFalse();

        assertThat(quotas.reserveKey(KEY, bob)).as("of another client").isTrue();
        assertThat(quotas.reserveEntry(KEY, bob)).as("of another client").isTrue();
        assertThat(quotas.reserveEntry(KEY, null)).as("of nobody").isTrue();

        quotas.returnTransientKey(KEY, alice);
        quotas.returnHold(alice);
        quotas.returnEntry(KEY, alice);
        assertThat(quotas.reserveKey(KEY, alice)).isTrue();
        assertThat(quotas.reserveHold(alice)).isTrue();
        assertThat(quotas.reserveEntry(KEY, alice)).isTrue();
    }

    @Test
    void a_refused_reservation_does_not_count_for_the_client() {
        AtomicBoolean left = new AtomicBoolean();
        LocalQuotas quotas =
                quotas(
                        new KeyCountLimits(0, 0, 1),
                        new ClientLimits(1, 1, 2),
                        MemoryBudgets.inPieces(left::get));
        ClientUsage alice = new ClientUsage();
        assertThat(quotas.reserveKey(KEY, alice)).isFalse();
        assertThat(quotas.reserveHold(alice)).isFalse();
        assertThat(quotas.reserveWait(alice)).isFalse();
        assertThat(quotas.reserveEntry(KEY, alice)).isFalse();
        left.set(true);
        assertThat(quotas.reserveKey(KEY, alice)).isTrue();
        assertThat(quotas.reserveHold(alice)).isTrue();
        assertThat(quotas.reserveWait(alice)).isTrue();
        assertThat(quotas.reserveEntry(KEY, alice)).isTrue();
        assertThat(quotas.reserveEntry(KEY, alice)).as("the cap of all").isFalse();
        quotas.returnEntry(KEY, alice);
        assertThat(quotas.reserveEntry(KEY, alice)).isTrue();
    }

    @Test
    void fences_of_the_quotas_increase() {
        LocalQuotas quotas = quotas(0);
        long first = quotas.nextFence();
        assertThat(quotas.nextFence()).isGreaterThan(first);
    }

    private LocalQuotas quotas(long maxKeys) {
        return quotas(new KeyCountLimits(maxKeys, 0, 0), memoryLeft::get);
    }

    private static LocalQuotas quotas(
            KeyCountLimits keyCountLimits, FixedSizeMemoryBudget fixedSizeMemoryBudget) {
        return quotas(
                keyCountLimits, ClientLimits.NONE, MemoryBudgets.inPieces(fixedSizeMemoryBudget));
    }

    private static LocalQuotas quotas(
            KeyCountLimits keyCountLimits, ClientLimits perClient, MemoryBudgets memory) {
        return new LocalQuotas(new ClockFences(), keyCountLimits, perClient, memory, _ -> null);
    }
}
