package io.holdfast.socketlock.internal.primary;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A hold in the lock file")
class HoldRecordTest {
    private static HoldRecord hold(String clientId, String lockId) {
        return new HoldRecord(3, true, Long.MAX_VALUE, clientId, lockId, ProcessIdentity.own());
    }

    @Test
    void a_hold_is_read_back_unchanged() {
        HoldRecord hold = hold("c1-1", "l1");
        HoldRecord read = HoldRecord.parse(3, hold.line());

        assertThat(read).isNotNull();
        assertThat(read.line()).isEqualTo(hold.line());
        assertThat(read.write).isTrue();
        assertThat(read.epoch).isEqualTo(Long.MAX_VALUE);
        assertThat(read.process).isEqualTo(ProcessIdentity.own());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "\u0000", "\u00ff", "line\nbreak", "~\u007f", "\t"})
    void an_unusual_id_is_replaced_by_a_hash(String id) {
        assertThat(HoldRecord.shortened(id)).matches("~[0-9a-f]{32}");
        assertThat(HoldRecord.shortened(id)).isEqualTo(HoldRecord.shortened(id));
        assertThat(HoldRecord.shortened(HoldRecord.shortened(id)))
                .isEqualTo(HoldRecord.shortened(id));
    }

    @Test
    void a_hold_fits_its_record_however_long_the_ids_are() {
        ProcessIdentity longest = ProcessIdentity.parse("b".repeat(70) + ":1:1234567890:123");
        assertThat(longest.isKnown()).isTrue();
        HoldRecord hold =
                new HoldRecord(
                        1, true, Long.MAX_VALUE, "c".repeat(60_000), "l".repeat(40), longest);

        assertThat(hold.line().length()).isLessThan(PrimaryLockFile.RECORD_BYTES);
        assertThat(HoldRecord.parse(1, hold.line())).isNotNull();
        assertThat(HoldRecord.shortened("x".repeat(40))).isEqualTo("x".repeat(40));
        assertThat(HoldRecord.shortened("x".repeat(41)))
                .isNotEqualTo(HoldRecord.shortened("x".repeat(42)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "hold",
                "hold write x c l -:-:0:0",
                "hold both 1 c l -:-:0:0",
                "held write 1 c l -:-:0:0",
                "hold write 1 c l -:-:0:0 more",
                "hold write 1  l -:-:0:0 x"
            })
    void a_malformed_record_is_no_hold(String line) {
        assertThat(HoldRecord.parse(1, line)).isNull();
    }
}
