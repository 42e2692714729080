package io.holdfast.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

@DisplayName("The ledger that shards share")
class LocalLedgerTest {
    private final AtomicBoolean room = new AtomicBoolean(true);

    @Test
    void has_room_for_as_many_keys_as_allowed_and_again_for_those_given_back() {
        LocalLedger ledger = ledger(2);
        assertThat(ledger.reserveKey()).isTrue();
        assertThat(ledger.reserveKey()).isTrue();
        for (int i = 0; i < 10; i++) {
            assertThat(ledger.reserveKey()).isFalse();
        }
        ledger.returnKey();
        assertThat(ledger.reserveKey()).isTrue();
        assertThat(ledger.reserveKey()).isFalse();
    }

    @Test
    void knows_no_limit_where_there_is_none() {
        LocalLedger ledger = ledger(0);
        for (int i = 0; i < 10_000; i++) {
            assertThat(ledger.reserveKey()).isTrue();
        }
    }

    @Test
    void takes_nothing_while_memory_is_short() {
        LocalLedger ledger = ledger(1);
        room.set(false);
        assertThat(ledger.reserve()).isFalse();
        assertThat(ledger.reserveKey()).isFalse();
        assertThat(ledger.reserveClaim()).isFalse();
        room.set(true);
        assertThat(ledger.reserve()).isTrue();
        assertThat(ledger.reserveKey()).isTrue();
        assertThat(ledger.reserveKey()).isFalse();
    }

    @Test
    void gives_all_its_memory_back() {
        AtomicLong pieces = new AtomicLong();
        Room counting =
                new Room() {
                    @Override
                    public boolean take() {
                        pieces.incrementAndGet();
                        return true;
                    }

                    @Override
                    public void giveBack() {
                        pieces.decrementAndGet();
                    }
                };
        LocalLedger ledger = new LocalLedger(new ClockFences(), new Caps(1, 1, 1), counting);
        assertThat(ledger.reserveKey()).isTrue();
        assertThat(ledger.reserveKey()).as("refused").isFalse();
        assertThat(pieces).hasValue(1);
        assertThat(ledger.reserve()).isTrue();
        assertThat(pieces).hasValue(2);
        assertThat(ledger.reserveClaim()).isTrue();
        assertThat(ledger.reserveClaim()).as("refused").isFalse();
        assertThat(pieces).hasValue(3);
        ledger.returnClaim();
        ledger.giveBack();
        ledger.returnKey();
        assertThat(pieces).hasValue(0);
    }

    @Test
    void counts_names_that_are_only_claimed_apart_from_keys_and_entries() {
        LocalLedger ledger = new LocalLedger(new ClockFences(), new Caps(1, 2, 1), room::get);
        assertThat(ledger.reserveKey()).isTrue();
        assertThat(ledger.reserveEntry()).isTrue();
        assertThat(ledger.reserveClaim()).isTrue();
        assertThat(ledger.reserveClaim()).isTrue();
        for (int i = 0; i < 10; i++) {
            assertThat(ledger.reserveClaim()).isFalse();
        }
        ledger.returnKey();
        ledger.returnEntry();
        assertThat(ledger.reserveClaim()).as("the room of a key is not that of a claim").isFalse();
        ledger.returnClaim();
        assertThat(ledger.reserveClaim()).isTrue();
        assertThat(ledger.reserveClaim()).isFalse();
        assertThat(ledger.reserveKey()).isTrue();
        assertThat(ledger.reserveEntry()).isTrue();
    }

    @Test
    void knows_no_limit_of_claims_where_there_is_none() {
        LocalLedger ledger = new LocalLedger(new ClockFences(), new Caps(1, 0, 1), room::get);
        for (int i = 0; i < 10_000; i++) {
            assertThat(ledger.reserveClaim()).isTrue();
        }
    }

    @Test
    void gives_out_fences_that_grow() {
        LocalLedger ledger = ledger(0);
        long first = ledger.nextFence();
        assertThat(ledger.nextFence()).isGreaterThan(first);
    }

    private LocalLedger ledger(long maxKeys) {
        return new LocalLedger(new ClockFences(), new Caps(maxKeys, 0, 0), room::get);
    }
}
