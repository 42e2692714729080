package io.holdfast.lockfile;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;

import org.junit.jupiter.api.DisplayName;

import java.time.Instant;

@DisplayName("Whatever bytes a lock file has")
class LockFileFuzzTest {
    @DictionaryEntries({
        "pid=",
        "timestamp=",
        "tag=",
        "nonce=",
        "start=",
        "host=",
        "acquired=",
        "pid=1\\x0atimestamp=2\\x0a",
        "\\x0d\\x0a",
        "\\xef\\xbb\\xbf",
        "\\xc2\\x85",
        "\\xe2\\x80\\xa8",
        "\\xd9\\xa3",
        "4294967296",
        "18446744073709551616"
    })
    @FuzzTest(maxDuration = "5s")
    void any_bytes_are_read_as_by_the_reference_reader(byte[] bytes) {
        LockFile read = LockFile.parse(bytes, Instant.EPOCH);
        assertThat(read.content() == LockFileContent.VALID).isEqualTo(read.holder() != null);
        if (bytes.length < LockFile.READ_LIMIT) {
            assertThat(PlainReading.words(read)).isEqualTo(PlainReading.of(bytes));
        }
    }
}
