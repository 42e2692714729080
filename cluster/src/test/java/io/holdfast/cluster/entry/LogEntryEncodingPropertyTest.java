package io.holdfast.cluster.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.cluster.ClusterVersion;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import java.util.Arrays;
import java.util.Random;

class LogEntryEncodingPropertyTest {
    private static final int TRIAL = ClusterVersion.LATEST + 1;

    private static int version(long seed) {
        return (seed & 1) == 0 ? ClusterVersion.LATEST : TRIAL;
    }

    @Property(tries = 3000)
    void every_entry_is_decoded_as_it_was_encoded(@ForAll long seed) throws Exception {
        LogEntry logEntry = new EntrySamples(seed).entry();

        for (int version = ClusterVersion.FIRST; version <= TRIAL; version++) {
            byte[] bytes = LogEntryEncoding.encode(logEntry, version);
            assertThat(LogEntryEncoding.decode(bytes, TRIAL)).isEqualTo(logEntry);
            assertThat(LogEntryEncoding.decode(bytes, version)).isEqualTo(logEntry);
        }
    }

    @Property(tries = 200)
    void an_entry_of_a_version_above_the_known_ones_is_refused(@ForAll long seed) {
        byte[] bytes = LogEntryEncoding.encode(new EntrySamples(seed).entry(), TRIAL);

        assertThatExceptionOfType(EncodingException.class)
                .isThrownBy(() -> LogEntryEncoding.decode(bytes, ClusterVersion.LATEST))
                .withMessageContaining(
                        "an entry has the version %d, and this Holdfast knows the versions 1 to %d"
                                .formatted(TRIAL, ClusterVersion.LATEST));
    }

    @Property(tries = 100)
    void an_entry_is_decoded_from_the_middle_of_an_array(@ForAll long seed) throws Exception {
        LogEntry logEntry = new EntrySamples(seed).entry();
        var out = new ByteWriter(1);
        out.number(seed);
        int offset = out.length();
        LogEntryEncoding.write(logEntry, ClusterVersion.LATEST, out);
        int length = out.length() - offset;
        out.number(seed);

        assertThat(LogEntryEncoding.decode(new ByteReader(out.array(), offset, length), TRIAL))
                .isEqualTo(logEntry);
    }

    @Property(tries = 200)
    void a_truncated_entry_is_refused(@ForAll long seed) {
        byte[] bytes = LogEntryEncoding.encode(new EntrySamples(seed).entry(), version(seed));

        for (int length = 0; length < bytes.length; length++) {
            byte[] piece = Arrays.copyOf(bytes, length);
            assertThatExceptionOfType(EncodingException.class)
                    .isThrownBy(() -> LogEntryEncoding.decode(piece, TRIAL));
        }
    }

    @Property(tries = 2000)
    void changed_bytes_give_another_entry_or_a_clear_failure(@ForAll long seed) {
        byte[] bytes = LogEntryEncoding.encode(new EntrySamples(seed).entry(), version(seed));
        var random = new Random(seed);

        for (int i = 0; i < 10; i++) {
            byte[] wrong = bytes.clone();
            for (int flips = random.nextInt(1, 4); flips > 0; flips--) {
                wrong[random.nextInt(wrong.length)] ^= (byte) (1 << random.nextInt(8));
            }
            decodeOrFail(wrong);
        }
    }

    @Property(tries = 2000)
    void random_bytes_give_an_entry_or_a_clear_failure(@ForAll long seed) {
        var random = new Random(seed);
        byte[] noise = new byte[random.nextInt(2, 60)];
        random.nextBytes(noise);
        noise[0] = 1;
        noise[1] = (byte) random.nextInt(12);

        decodeOrFail(noise);
    }

    /** Decodes bytes; only an {@link EncodingException} may be thrown. */
    private static void decodeOrFail(byte[] bytes) {
        try {
            assertThat(LogEntryEncoding.decode(bytes, TRIAL)).isNotNull();
        } catch (EncodingException e) {
            assertThat(e).hasMessageContaining("before byte");
        }
    }
}
