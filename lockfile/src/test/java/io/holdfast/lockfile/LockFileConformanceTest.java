package io.holdfast.lockfile;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;

@DisplayName("Each lock file of the fixtures")
class LockFileConformanceTest {
    private static final Duration TIMEOUT = Duration.ofHours(1);

    @Test
    void each_example_file_has_a_row_in_the_table() throws IOException {
        assertThat(LockFileFixture.all())
                .extracting(LockFileFixture::file)
                .doesNotHaveDuplicates()
                .containsExactlyInAnyOrderElementsOf(LockFileFixture.files())
                .hasSizeGreaterThanOrEqualTo(36);
    }

    @ParameterizedTest
    @MethodSource("io.holdfast.lockfile.LockFileFixture#all")
    void each_example_file_is_stored_byte_for_byte(LockFileFixture lockFileFixture) {
        assertThat((long) lockFileFixture.bytes().length)
                .isEqualTo(lockFileFixture.row().get("bytes"));
    }

    @ParameterizedTest
    @MethodSource("io.holdfast.lockfile.LockFileFixture#all")
    void each_example_file_is_read_as_the_table_specifies(LockFileFixture lockFileFixture) {
        Map<?, ?> row = lockFileFixture.row();
        LockFile read = LockFile.parse(lockFileFixture.bytes(), Instant.EPOCH);
        Holder holder = read.holder();
        assertThat(read.content().name().toLowerCase(Locale.ROOT)).isEqualTo(row.get("class"));
        assertThat(holder == null ? null : holder.pid()).isEqualTo(row.get("pid"));
        assertThat(holder == null ? null : holder.timestamp()).isEqualTo(row.get("timestamp"));
        String tag = holder == null ? null : holder.tag();
        if (lockFileFixture.is("tag_is_prefix")) {
            assertThat(tag).startsWith((String) row.get("tag"));
        } else {
            assertThat(tag).isEqualTo(row.get("tag"));
        }
        assertThat(read.timestampEnded())
                .isEqualTo(holder != null && !lockFileFixture.is("provisional_timestamp"));
    }

    @ParameterizedTest
    @MethodSource("io.holdfast.lockfile.LockFileFixture#all")
    void each_example_file_is_stale_when_the_table_specifies_it(LockFileFixture lockFileFixture) {
        Map<?, ?> verdicts = (Map<?, ?>) lockFileFixture.row().get("stale");
        assertThat(verdicts).hasSize(3);
        verdicts.forEach(
                (at, stale) -> {
                    Instant now = Instant.ofEpochSecond(Long.parseLong((String) at));
                    LockFile read = LockFile.parse(lockFileFixture.bytes(), now);
                    assertThat(read.isStale(now, TIMEOUT)).as("at %s", at).isEqualTo(stale);
                });
    }
}
