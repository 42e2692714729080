package io.holdfast.lockfile;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

@Label("Lock files drawn at random")
class LockFilePropertyTest {
    private static final long NOW = 1703520000;
    private static final Duration TIMEOUT = Duration.ofHours(1);
    private static final Set<String> KEYS =
            Set.of("pid", "timestamp", "tag", "nonce", "start", "host", "acquired");

    @Property(tries = 2000)
    void a_written_holder_is_read_back_unchanged(@ForAll("holders") Holder holder) {
        assertThat(read(LockFile.write(holder)).holder()).isEqualTo(trimmed(holder));
    }

    @Property(tries = 10000)
    void a_lock_file_is_read_as_by_the_reference_reader(@ForAll("fileLike") byte[] bytes) {
        assertThat(PlainReading.words(read(bytes))).isEqualTo(PlainReading.of(bytes));
    }

    @Property(tries = 1000)
    void any_bytes_can_be_read(@ForAll byte[] bytes) {
        LockFile read = read(bytes);
        assertThat(read.content() == LockFileContent.VALID).isEqualTo(read.holder() != null);
    }

    /** The modification time is that of the write, or later. */
    @Property(tries = 300)
    void a_truncated_file_is_not_stale_and_names_no_other_holder(
            @ForAll("holders") Holder any,
            @ForAll @LongRange(min = 0, max = 3600) long age,
            @ForAll @LongRange(min = 0, max = 3600) long sinceModified,
            @ForAll("lineEnds") String lineEnd) {
        Holder whole = withTimestamp(any, NOW - age);
        Instant modified = Instant.ofEpochSecond(NOW - Math.min(age, sinceModified));
        byte[] bytes = bytes(text(LockFile.write(whole)).replace("\n", lineEnd));
        for (int length = 0; length <= bytes.length; length++) {
            LockFile cut = LockFile.parse(Arrays.copyOf(bytes, length), modified);
            assertThat(cut.isStale(Instant.ofEpochSecond(NOW), TIMEOUT)).isFalse();
            assertThat(cut.content()).isNotEqualTo(LockFileContent.FOREIGN);
            if (cut.holder() != null) {
                assertPartOf(trimmed(whole), cut.holder());
            }
        }
    }

    private static void assertPartOf(Holder whole, Holder cut) {
        assertThat(cut.pid()).isEqualTo(whole.pid());
        assertThat(cut.nonce()).isIn(whole.nonce(), null);
        assertThat(cut.start()).isIn(whole.start(), null);
        assertThat(cut.host()).isIn(whole.host(), null);
        assertThat(cut.acquired()).isIn(whole.acquired(), null);
    }

    @Property(tries = 1000)
    void unknown_lines_are_ignored(
            @ForAll("holders") Holder holder,
            @ForAll("unknownLines") List<String> unknown,
            @ForAll @IntRange(max = 7) int place) {
        byte[] bytes = LockFile.write(holder);
        List<String> lines = new ArrayList<>(text(bytes).lines().toList());
        unknown.forEach(line -> lines.add(Math.min(place, lines.size()), line));
        assertThat(read(bytes(String.join("\n", lines) + "\n"))).isEqualTo(read(bytes));
    }

    /** Also for readers that recognize other line ends. */
    @Property(tries = 3000)
    void each_field_has_one_line_whatever_the_tag_and_the_host_are(
            @ForAll("forgeries") String tag, @ForAll("forgeries") String host) {
        Holder holder = new Holder(1, 2, tag, "abcd", 3L, host, 4L);
        byte[] bytes = LockFile.write(holder);
        assertThat(text(bytes).split("\\R", -1)).hasSize(8);
        assertThat(read(bytes).holder()).isEqualTo(trimmed(holder));
    }

    @Property(tries = 3000)
    void a_tag_fits_its_limit_and_is_read_back_unchanged(
            @ForAll("forgeries") String text, @ForAll @IntRange(max = 40) int maxLength) {
        String tag = LockFile.tag(text, maxLength);
        assertThat(tag.length()).isBetween(Math.min(text.length(), maxLength - 1), maxLength);
        assertThat(LockFile.tag(tag, maxLength)).isEqualTo(tag);
        assertThat(text(bytes(tag))).isEqualTo(tag);
        assertThat(tag).doesNotContainPattern("\\R|\\p{Cntrl}");
    }

    private static LockFile read(byte[] bytes) {
        return LockFile.parse(bytes, Instant.ofEpochSecond(NOW));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The text as read back: trailing whitespace is lost. */
    private static Holder trimmed(Holder holder) {
        return new Holder(
                holder.pid(),
                holder.timestamp(),
                trimmed(holder.tag()),
                holder.nonce(),
                holder.start(),
                trimmed(holder.host()),
                holder.acquired());
    }

    private static String trimmed(String text) {
        return text == null ? null : LockFile.tag(text, text.length()).replaceAll(" +\\z", "");
    }

    private static Holder withTimestamp(Holder holder, long timestamp) {
        return new Holder(
                holder.pid(),
                timestamp,
                holder.tag(),
                holder.nonce(),
                holder.start(),
                holder.host(),
                holder.acquired());
    }

    @Provide
    Arbitrary<Holder> holders() {
        Arbitrary<Long> times = Arbitraries.longs().between(0, Long.MAX_VALUE);
        Arbitrary<String> nonces = Arbitraries.strings().withChars("0123456789abcdef").ofLength(16);
        return Combinators.combine(
                        Arbitraries.longs().between(0, 4294967295L),
                        times,
                        texts().injectNull(0.2),
                        nonces.injectNull(0.2),
                        times.injectNull(0.2),
                        texts().injectNull(0.2),
                        times.injectNull(0.2))
                .as(Holder::new);
    }

    private static Arbitrary<String> texts() {
        return Arbitraries.oneOf(
                Arbitraries.strings().ofMaxLength(40),
                Arbitraries.strings().ascii().ofMaxLength(40),
                pieces(8));
    }

    @Provide
    Arbitrary<String> forgeries() {
        return Arbitraries.oneOf(pieces(12), Arbitraries.strings().ofMaxLength(60));
    }

    @Provide
    Arbitrary<String> lineEnds() {
        return Arbitraries.of("\n", "\r\n");
    }

    @Provide
    Arbitrary<List<String>> unknownLines() {
        return texts().map(it -> it.replace("\n", "").replace("\ufeff", ""))
                .filter(LockFilePropertyTest::isUnknown)
                .list()
                .ofMaxSize(5);
    }

    private static boolean isUnknown(String line) {
        String key = line.replaceFirst("\\A[ \\t\\r\\x0B\\f]+", "").replaceFirst("(?s)=.*", "");
        return !KEYS.contains(key) || line.indexOf('=') < 0;
    }

    @Provide
    Arbitrary<byte[]> fileLike() {
        Arbitrary<byte[]> texts = pieces(14).map(LockFilePropertyTest::bytes);
        Arbitrary<byte[]> withBadUtf8 =
                pieces(14).map(it -> it.getBytes(StandardCharsets.ISO_8859_1));
        return Arbitraries.oneOf(texts, texts, withBadUtf8);
    }

    /** Parts of lock files and confusing input, in any order. */
    private static Arbitrary<String> pieces(int most) {
        Arbitrary<String> lines =
                Arbitraries.of("pid=12\n", "timestamp=1703520000\n", "timestamp=34\r\n", "tag=t\n");
        Arbitrary<String> keys =
                Arbitraries.of(
                        "pid=", "timestamp=", "tag=", "nonce=", "start=", "host=", "acquired=");
        Arbitrary<String> numbers =
                Arbitraries.of(
                        "0",
                        "5",
                        "007",
                        "+5",
                        "-5",
                        "1.5",
                        "0x1f",
                        "\u0663",
                        "4294967295",
                        "4294967296",
                        "9223372036854775808",
                        "18446744073709551615",
                        "18446744073709551616",
                        "100000000000000000000",
                        "00000000000000000000000018446744073709551615");
        Arbitrary<String> blanks = Arbitraries.of(" ", "\t", "\r", "\u000b", "\f");
        Arbitrary<String> others =
                Arbitraries.of(
                        "=",
                        "+",
                        "p",
                        "timesta",
                        "PID=",
                        "\0",
                        "\u0085",
                        "\u00a0",
                        "\u00e9",
                        "\u007f",
                        "\u001b",
                        "\u2028",
                        "\u2029",
                        "\u3000",
                        "\ufeff",
                        "\ud83d",
                        "\udd12",
                        "\ud83d\udd12");
        Arbitrary<String> ends = Arbitraries.of("\n", "\n", "\n", "\r\n");
        return Arbitraries.oneOf(lines, keys, numbers, blanks, others, ends)
                .list()
                .ofMaxSize(most)
                .map(it -> String.join("", it));
    }
}
