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
    void a_lock_file_is_stale_when_it_is_older_than_the_timeout() {
        assertThat(LOCK.isStale(TAKEN.plusSeconds(3599), HOUR)).isFalse();
        assertThat(LOCK.isStale(TAKEN.plusSeconds(3600), HOUR)).isFalse();
        assertThat(LOCK.isStale(TAKEN.plusSeconds(3601), HOUR)).isTrue();
    }

    @Test
    void age_is_counted_in_whole_seconds() {
        assertThat(LOCK.isStale(TAKEN.plusSeconds(3600).plusNanos(999_999_999), HOUR)).isFalse();
        assertThat(LOCK.age(TAKEN.plusMillis(1999))).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void with_a_timeout_between_one_and_two_seconds_a_lock_file_is_stale_at_two() {
        Duration timeout = Duration.ofMillis(1500);
        assertThat(LOCK.isStale(TAKEN.plusMillis(1999), timeout)).isFalse();
        assertThat(LOCK.isStale(TAKEN.plusMillis(2000), timeout)).isTrue();
    }

    @Test
    void with_a_timeout_of_zero_a_lock_file_is_stale_after_a_second() {
        assertThat(LOCK.isStale(TAKEN, Duration.ZERO)).isFalse();
        assertThat(LOCK.isStale(TAKEN.plusSeconds(1), Duration.ZERO)).isTrue();
    }

    @Test
    void with_an_unlimited_timeout_a_lock_file_is_never_stale() {
        Duration endless = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
        assertThat(LOCK.isStale(Instant.MAX, endless)).isFalse();
        assertThat(read("", Instant.MIN).isStale(Instant.MAX, endless)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1703520001", "1703520000000", "18446744073709551615"})
    void a_lock_file_with_a_timestamp_in_the_future_is_not_stale(String timestamp) {
        LockFile lock = read("pid=1\ntimestamp=" + timestamp + "\n", Instant.EPOCH);
        assertThat(lock.age(TAKEN)).isZero();
        assertThat(lock.isStale(TAKEN, Duration.ZERO)).isFalse();
        assertThat(lock.isStale(Instant.MIN, Duration.ZERO)).isFalse();
    }

    @Test
    void the_age_of_a_complete_lock_file_is_that_of_its_timestamp() {
        LockFile touched = read("pid=1\ntimestamp=1703520000\n", TAKEN.plusSeconds(3601));
        assertThat(touched.isStale(TAKEN.plusSeconds(3601), HOUR)).isTrue();
        LockFile copied = read("pid=1\ntimestamp=1703520000\n", Instant.EPOCH);
        assertThat(copied.isStale(TAKEN.plusSeconds(3600), HOUR)).isFalse();
    }

    @Test
    void the_age_of_a_lock_file_with_a_truncated_timestamp_is_that_of_its_modification() {
        LockFile cut = read("pid=1\ntimestamp=17035", TAKEN);
        assertThat(cut.isStale(TAKEN.plusSeconds(3600), HOUR)).isFalse();
        assertThat(cut.isStale(TAKEN.plusSeconds(3601), HOUR)).isTrue();
    }

    @Test
    void a_lock_file_with_a_truncated_timestamp_is_not_older_than_the_timestamp() {
        LockFile handMade = read("pid=1\ntimestamp=1703520000", Instant.EPOCH);
        assertThat(handMade.isStale(TAKEN.plusSeconds(3600), HOUR)).isFalse();
        assertThat(handMade.isStale(TAKEN.plusSeconds(3601), HOUR)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "pid=1", "pid=1\ntimest"})
    void the_age_of_an_unfinished_lock_file_is_that_of_its_modification(String text) {
        LockFile debris = read(text, TAKEN);
        assertThat(debris.isStale(TAKEN.plusSeconds(3600), HOUR)).isFalse();
        assertThat(debris.isStale(TAKEN.plusSeconds(3601), HOUR)).isTrue();
        assertThat(debris.isStale(TAKEN.minusSeconds(3601), HOUR)).isFalse();
        assertThat(debris.age(TAKEN.plusSeconds(7))).isEqualTo(Duration.ofSeconds(7));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "somebody's document", "pid=x\ntimestamp=0\n", "timestamp=0\n"})
    void a_file_that_is_no_lock_file_is_never_stale(String text) {
        LockFile foreign = read(text, Instant.EPOCH);
        assertThat(foreign.isStale(Instant.MAX, Duration.ZERO)).isFalse();
        assertThat(foreign.age(Instant.MAX)).isZero();
    }

    private static LockFile read(String text, Instant modified) {
        return LockFile.parse(text.getBytes(StandardCharsets.UTF_8), modified);
    }
}
