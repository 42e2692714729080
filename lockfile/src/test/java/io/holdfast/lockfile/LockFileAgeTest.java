package io.holdfast.lockfile;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;

@DisplayName("A lock file")
class LockFileAgeTest {
    private static final Instant TAKEN = Instant.ofEpochSecond(1703520000);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final LockFile LOCK = read("pid=1\ntimestamp=1703520000\n", TAKEN);

    @Test
    void is_stale_when_it_is_older_than_the_timeout_and_not_before() {
        assertThat(LOCK.isStale(TAKEN.plusSeconds(3599), HOUR)).isFalse();
        assertThat(LOCK.isStale(TAKEN.plusSeconds(3600), HOUR)).isFalse();
        assertThat(LOCK.isStale(TAKEN.plusSeconds(3601), HOUR)).isTrue();
    }

    @Test
    void ages_by_whole_seconds() {
        assertThat(LOCK.isStale(TAKEN.plusSeconds(3600).plusNanos(999_999_999), HOUR)).isFalse();
        assertThat(LOCK.age(TAKEN.plusMillis(1999))).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void is_good_at_one_second_and_stale_at_two_by_a_timeout_in_between() {
        Duration timeout = Duration.ofMillis(1500);
        assertThat(LOCK.isStale(TAKEN.plusMillis(1999), timeout)).isFalse();
        assertThat(LOCK.isStale(TAKEN.plusMillis(2000), timeout)).isTrue();
    }

    @Test
    void is_stale_after_a_second_by_a_timeout_of_zero() {
        assertThat(LOCK.isStale(TAKEN, Duration.ZERO)).isFalse();
        assertThat(LOCK.isStale(TAKEN.plusSeconds(1), Duration.ZERO)).isTrue();
    }

    @Test
    void is_never_stale_by_a_timeout_without_end() {
        Duration endless = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
        assertThat(LOCK.isStale(Instant.MAX, endless)).isFalse();
        assertThat(read("", Instant.MIN).isStale(Instant.MAX, endless)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1703520001", "1703520000000", "18446744073709551615"})
    void of_the_future_is_not_stale(String timestamp) {
        LockFile lock = read("pid=1\ntimestamp=" + timestamp + "\n", Instant.EPOCH);
        assertThat(lock.age(TAKEN)).isZero();
        assertThat(lock.isStale(TAKEN, Duration.ZERO)).isFalse();
        assertThat(lock.isStale(Instant.MIN, Duration.ZERO)).isFalse();
    }

    @Test
    void that_is_complete_has_its_age_from_its_timestamp_whenever_it_was_modified() {
        LockFile touched = read("pid=1\ntimestamp=1703520000\n", TAKEN.plusSeconds(3601));
        assertThat(touched.isStale(TAKEN.plusSeconds(3601), HOUR)).isTrue();
        LockFile copied = read("pid=1\ntimestamp=1703520000\n", Instant.EPOCH);
        assertThat(copied.isStale(TAKEN.plusSeconds(3600), HOUR)).isFalse();
    }

    @Test
    void with_a_timestamp_that_may_be_cut_is_as_old_as_its_last_modification() {
        LockFile cut = read("pid=1\ntimestamp=17035", TAKEN);
        assertThat(cut.isStale(TAKEN.plusSeconds(3600), HOUR)).isFalse();
        assertThat(cut.isStale(TAKEN.plusSeconds(3601), HOUR)).isTrue();
    }

    @Test
    void with_a_timestamp_that_may_be_cut_is_not_older_than_that() {
        LockFile handMade = read("pid=1\ntimestamp=1703520000", Instant.EPOCH);
        assertThat(handMade.isStale(TAKEN.plusSeconds(3600), HOUR)).isFalse();
        assertThat(handMade.isStale(TAKEN.plusSeconds(3601), HOUR)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "pid=1", "pid=1\ntimest"})
    void that_was_never_finished_is_as_old_as_its_last_modification(String text) {
        LockFile debris = read(text, TAKEN);
        assertThat(debris.isStale(TAKEN.plusSeconds(3600), HOUR)).isFalse();
        assertThat(debris.isStale(TAKEN.plusSeconds(3601), HOUR)).isTrue();
        assertThat(debris.isStale(TAKEN.minusSeconds(3601), HOUR)).isFalse();
        assertThat(debris.age(TAKEN.plusSeconds(7))).isEqualTo(Duration.ofSeconds(7));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "somebody's document", "pid=x\ntimestamp=0\n", "timestamp=0\n"})
    void that_is_none_is_never_stale(String text) {
        LockFile foreign = read(text, Instant.EPOCH);
        assertThat(foreign.isStale(Instant.MAX, Duration.ZERO)).isFalse();
        assertThat(foreign.age(Instant.MAX)).isZero();
    }

    private static LockFile read(String text, Instant modified) {
        return LockFile.parse(text.getBytes(StandardCharsets.UTF_8), modified);
    }
}
