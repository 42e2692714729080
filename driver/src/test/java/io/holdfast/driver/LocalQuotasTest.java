package io.holdfast.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Key;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

@DisplayName("The quotas of a local driver")
class LocalQuotasTest {
    private static final Key KEY = Key.of("key");

    private final AtomicBoolean room = new AtomicBoolean(true);

    @Test
    void quotas_admit_as_many_keys_as_allowed_and_returned_ones_again() {
        LocalQuotas ledger = ledger(2);
        assertThat(ledger.reserveKey(KEY, null)).isTrue();
        assertThat(ledger.reserveKey(KEY, null)).isTrue();
        for (int i = 0; i < 10; i++) {
            assertThat(ledger.reserveKey(KEY, null)).isFalse();
        }
        ledger.returnKey(KEY, null);
        assertThat(ledger.reserveKey(KEY, null)).isTrue();
        assertThat(ledger.reserveKey(KEY, null)).isFalse();
    }

    @Test
    void a_limit_of_zero_keys_is_no_limit() {
        LocalQuotas ledger = ledger(0);
        for (int i = 0; i < 10_000; i++) {
            assertThat(ledger.reserveKey(KEY, null)).isTrue();
        }
    }

    @Test
    void nothing_is_reserved_while_the_memory_budget_is_used_up() {
        LocalQuotas ledger = ledger(1);
        room.set(false);
        assertThat(ledger.reserveHold(null)).isFalse();
        assertThat(ledger.reserveKey(KEY, null)).isFalse();
        assertThat(ledger.reserveTransientKey(KEY, null)).isFalse();
        room.set(true);
        assertThat(ledger.reserveHold(null)).isTrue();
        assertThat(ledger.reserveKey(KEY, null)).isTrue();
        assertThat(ledger.reserveKey(KEY, null)).isFalse();
    }

    @Test
    void a_hold_that_passes_to_another_client_counts_for_that_client() {
        LocalQuotas ledger = ledger(0);
        ClientUsage from = new ClientUsage();
        ClientUsage to = new ClientUsage();
        assertThat(ledger.reserveHold(from)).isTrue();
        ledger.passHold(from, to);
        assertThat(from.isFull(ClientUsage.Counted.HOLD, 1)).isFalse();
        assertThat(to.isFull(ClientUsage.Counted.HOLD, 1)).isTrue();
        ledger.passHold(to, null);
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
        LocalQuotas ledger = ledger(new KeyLimits(1, 1, 1), counting);
        assertThat(ledger.reserveKey(KEY, null)).isTrue();
        assertThat(ledger.reserveKey(KEY, null)).as("refused").isFalse();
        assertThat(pieces).hasValue(1);
        assertThat(ledger.reserveHold(null)).isTrue();
        assertThat(pieces).hasValue(2);
        assertThat(ledger.reserveTransientKey(KEY, null)).isTrue();
        assertThat(ledger.reserveTransientKey(KEY, null)).as("refused").isFalse();
        assertThat(pieces).hasValue(3);
        ledger.returnTransientKey(KEY, null);
        ledger.returnHold(null);
        ledger.returnKey(KEY, null);
        assertThat(pieces).hasValue(0);
    }

    @Test
    void transient_keys_are_counted_apart_from_keys_and_entries() {
        LocalQuotas ledger = ledger(new KeyLimits(1, 2, 1), room::get);
        assertThat(ledger.reserveKey(KEY, null)).isTrue();
        assertThat(ledger.reserveEntry(KEY, null)).isTrue();
        assertThat(ledger.reserveTransientKey(KEY, null)).isTrue();
        assertThat(ledger.reserveTransientKey(KEY, null)).isTrue();
        for (int i = 0; i < 10; i++) {
            assertThat(ledger.reserveTransientKey(KEY, null)).isFalse();
        }
        ledger.returnKey(KEY, null);
        ledger.returnEntry(KEY, null);
        assertThat(ledger.reserveTransientKey(KEY, null))
                .as("the room of a key is not that of a claim")
                .isFalse();
        ledger.returnTransientKey(KEY, null);
        assertThat(ledger.reserveTransientKey(KEY, null)).isTrue();
        assertThat(ledger.reserveTransientKey(KEY, null)).isFalse();
        assertThat(ledger.reserveKey(KEY, null)).isTrue();
        assertThat(ledger.reserveEntry(KEY, null)).isTrue();
    }

    @Test
    void a_limit_of_zero_transient_keys_is_no_limit() {
        LocalQuotas ledger = ledger(new KeyLimits(1, 0, 1), room::get);
        for (int i = 0; i < 10_000; i++) {
            assertThat(ledger.reserveTransientKey(KEY, null)).isTrue();
        }
    }

    @Test
    void the_limits_of_a_client_are_enforced() {
        LocalQuotas ledger =
                ledger(KeyLimits.NONE, new ClientLimits(2, 1, 1), MemoryBudgets.UNLIMITED);
        ClientUsage alice = new ClientUsage();
        ClientUsage bob = new ClientUsage();
        assertThat(ledger.reserveKey(KEY, alice)).isTrue();
        assertThat(ledger.reserveTransientKey(KEY, alice)).isTrue();
        assertThat(ledger.reserveKey(KEY, alice)).as("a third name").isFalse();
        assertThat(ledger.reserveHold(alice)).isTrue();
        assertThat(ledger.reserveWait(alice)).isTrue();
        assertThat(ledger.reserveWait(alice)).as("a second wait").isFalse();
        ledger.grantWait(alice);
        assertThat(ledger.reserveWait(alice)).as("the first is a hold now").isTrue();
        assertThat(ledger.reserveHold(alice)).as("a third hold").isFalse();
        assertThat(ledger.reserveEntry(KEY, alice)).isTrue();
        assertThat(ledger.reserveEntry(KEY, alice)).as("a second entry").isFalse();

        assertThat(ledger.reserveKey(KEY, bob)).as("of another client").isTrue();
        assertThat(ledger.reserveEntry(KEY, bob)).as("of another client").isTrue();
        assertThat(ledger.reserveEntry(KEY, null)).as("of nobody").isTrue();

        ledger.returnTransientKey(KEY, alice);
        ledger.returnHold(alice);
        ledger.returnEntry(KEY, alice);
        assertThat(ledger.reserveKey(KEY, alice)).isTrue();
        assertThat(ledger.reserveHold(alice)).isTrue();
        assertThat(ledger.reserveEntry(KEY, alice)).isTrue();
    }

    @Test
    void a_refused_reservation_does_not_count_for_the_client() {
        AtomicBoolean left = new AtomicBoolean();
        LocalQuotas ledger =
                ledger(
                        new KeyLimits(0, 0, 1),
                        new ClientLimits(1, 1, 2),
                        MemoryBudgets.inPieces(left::get));
        ClientUsage alice = new ClientUsage();
        assertThat(ledger.reserveKey(KEY, alice)).isFalse();
        assertThat(ledger.reserveHold(alice)).isFalse();
        assertThat(ledger.reserveWait(alice)).isFalse();
        assertThat(ledger.reserveEntry(KEY, alice)).isFalse();
        left.set(true);
        assertThat(ledger.reserveKey(KEY, alice)).isTrue();
        assertThat(ledger.reserveHold(alice)).isTrue();
        assertThat(ledger.reserveWait(alice)).isTrue();
        assertThat(ledger.reserveEntry(KEY, alice)).isTrue();
        assertThat(ledger.reserveEntry(KEY, alice)).as("the cap of all").isFalse();
        ledger.returnEntry(KEY, alice);
        assertThat(ledger.reserveEntry(KEY, alice)).isTrue();
    }

    @Test
    void fences_of_the_quotas_increase() {
        LocalQuotas ledger = ledger(0);
        long first = ledger.nextFence();
        assertThat(ledger.nextFence()).isGreaterThan(first);
    }

    private LocalQuotas ledger(long maxKeys) {
        return ledger(new KeyLimits(maxKeys, 0, 0), room::get);
    }

    private static LocalQuotas ledger(
            KeyLimits keyLimits, FixedSizeMemoryBudget fixedSizeMemoryBudget) {
        return ledger(keyLimits, ClientLimits.NONE, MemoryBudgets.inPieces(fixedSizeMemoryBudget));
    }

    private static LocalQuotas ledger(
            KeyLimits keyLimits, ClientLimits perClient, MemoryBudgets memory) {
        return new LocalQuotas(new ClockFences(), keyLimits, perClient, memory, _ -> null);
    }
}
