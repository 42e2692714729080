package io.holdfast.cluster.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.cluster.ClusterVersion;
import io.holdfast.driver.KeyCountLimits;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.QueuePolicy;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * The recorded bytes of every kind of entry and item, as they are in existing logs. They must never
 * change.
 */
class LogEntryEncodingTest {
    private static final long SESSION = (3L << 32) | 5;
    private static final long SECOND = 1_000_000_000;
    private static final Key KEY = Key.of("k");
    private static final Key TENANTS = Key.of(new Namespace("t\u00e9"), new byte[] {-1, 0});
    private static final Token TOKEN = new Token(0x1122334455667788L, 0x99AABBCCDDEEFF00L);
    private static final UUID ID = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
    private static final ByteString BYTES = ByteString.of("ab");

    private static Stream<Arguments> entries() {
        return Stream.of(
                entry(
                        "010100112233445566778899aabbccddeeffac02",
                        new LogEntry.CreateCluster(ID, 300)),
                entry(
                        "010207e2d403010901030001660000016b010274e90102ff0002010203924e08",
                        new LogEntry.ChangeSettings(rules())),
                entry(
                        "0103026e3100000000000000010000000000000002",
                        new LogEntry.BeginIncarnation("n1", new UUID(1, 2))),
                entry(
                        "010b026e310000000000000003000000000000000407",
                        new LogEntry.Announce("n1", new UUID(3, 4), 7)),
                entry("010ac801", new LogEntry.RaiseVersion(200)),
                entry("010403ac0200", new LogEntry.Batch(3, 300, List.of())),
                entry("010503", new LogEntry.EndIncarnation(3)),
                entry("0106", new LogEntry.Tick()),
                entry("0109", new LogEntry.CheckState()),
                entry("0107d00f", new LogEntry.Collect(1000)),
                entry(
                        "01080202010603010503",
                        new LogEntry.EntryBatch(
                                List.of(new LogEntry.Tick(), new LogEntry.EndIncarnation(3)))));
    }

    private static ReplicatedSettings rules() {
        var engineSettings =
                new EngineSettings(
                        7,
                        60 * SECOND,
                        true,
                        9,
                        true,
                        Map.of(
                                TENANTS,
                                QueuePolicy.WRITER_PREFERRED,
                                KEY,
                                QueuePolicy.READER_PREFERRED,
                                Key.of("f"),
                                QueuePolicy.FIFO));
        return new ReplicatedSettings(engineSettings, new KeyCountLimits(1, 2, 3), 10 * SECOND, 4);
    }

    private static Stream<Arguments> items() {
        return Stream.of(
                item(
                        "01050468747470026d65",
                        new BatchItem.RegisterSession(SESSION, "http", "me", false)),
                item(
                        "06050468747470026d65",
                        new BatchItem.RegisterSession(SESSION, "http", "me", true)),
                item("020506", new BatchItem.EndSession(SESSION, 6)),
                item(
                        "0305070274e90102ff0000",
                        new BatchItem.Listen(SESSION, 7, TENANTS, ByteString.EMPTY)),
                item("04050700016b026162", new BatchItem.Unlisten(SESSION, 7, KEY, BYTES)),
                item("05050700016b026162", new BatchItem.Emit(SESSION, 7, KEY, BYTES)),
                command(
                        "10050700016b000102ea810299aabbccddeeff0003",
                        new Command.Acquire(
                                SESSION,
                                7,
                                ResourceKind.LOCK,
                                KEY,
                                1,
                                0,
                                33 * SECOND,
                                TOKEN.salt())),
                command(
                        "1005070274e90102ff00020201020099aabbccddeeff0004",
                        new Command.Acquire(
                                SESSION,
                                7,
                                ResourceKind.SHARED,
                                TENANTS,
                                2,
                                1,
                                Command.FOREVER,
                                TOKEN.salt(),
                                new HoldAttributes(ReadWriteMode.READ, false, true))),
                command(
                        "11050700016b0103ea07000000000000000100",
                        new Command.Enqueue(
                                SESSION,
                                7,
                                ResourceKind.SEMAPHORE,
                                KEY,
                                3,
                                SECOND,
                                1,
                                ReadWriteMode.READ)),
                command(
                        "12050700016b00924e",
                        new Command.Await(SESSION, 7, ResourceKind.LOCK, KEY, 10 * SECOND)),
                command(
                        "13050700016b00112233445566778899aabbccddeeff00",
                        new Command.Release(SESSION, 7, ResourceKind.LOCK, KEY, TOKEN)),
                command(
                        "14050700016b00112233445566778899aabbccddeeff00ea07",
                        new Command.Renew(SESSION, 7, ResourceKind.LOCK, KEY, TOKEN, SECOND)),
                command(
                        "15050700016b020000000000000001",
                        new Command.TryAcquire(SESSION, 7, ResourceKind.SHARED, KEY, 1)),
                command(
                        "16050700016b02",
                        new Command.ReleaseBySession(SESSION, 7, ResourceKind.SHARED, KEY)),
                command(
                        "17050700016b02",
                        new Command.Inspect(SESSION, 7, ResourceKind.SHARED, KEY)),
                command(
                        "18050700016b0000",
                        new Command.ForceRelease(SESSION, 7, ResourceKind.LOCK, KEY, 0)),
                command(
                        "19050700016b01",
                        new Command.Cancel(SESSION, 7, ResourceKind.SEMAPHORE, KEY)),
                command(
                        "1a050700016b01ea07d20fba170000000000000001",
                        new Command.RequestOffer(
                                SESSION,
                                7,
                                KEY,
                                ReadWriteMode.WRITE,
                                SECOND,
                                2 * SECOND,
                                3 * SECOND,
                                1)),
                command("1b050700016b06", new Command.Confirm(SESSION, 7, KEY, 6)),
                command("1c050700016b06", new Command.Decline(SESSION, 7, KEY, 6)),
                command("1d050700016b06", new Command.CancelOrRelease(SESSION, 7, KEY, 6)),
                command("1e050700016b06", new Command.QueryStatus(SESSION, 7, KEY, 6)),
                command("1f050700016b", new Command.Suspend(SESSION, 7, KEY)),
                command("20050700016b", new Command.Resume(SESSION, 7, KEY)),
                command(
                        "21050700016b00ea070000000000000001",
                        new Command.Reassert(SESSION, 7, KEY, ReadWriteMode.READ, SECOND, 1)),
                data("40050700016b01", new DataOperation.Increment(-1)),
                data("41050700016b9003", new DataOperation.Decrement(200)),
                data("42050700016b", new DataOperation.GetCounter()),
                data(
                        "43050700016bffffffffffffffffff01",
                        new DataOperation.SetCounter(Long.MIN_VALUE)),
                data("44050700016b02616200", new DataOperation.SetValue(BYTES, Command.FOREVER)),
                data("45050700016b", new DataOperation.GetValue()),
                data("46050700016b", new DataOperation.DeleteValue()),
                data(
                        "47050700016b00026162",
                        new DataOperation.Push(DataOperation.End.FRONT, BYTES)),
                data("48050700016b01", new DataOperation.Pop(DataOperation.End.BACK)),
                data("49050700016b", new DataOperation.Length()),
                data("4a050700016b0001", new DataOperation.Range(0, -1)));
    }

    private static Arguments entry(String hex, LogEntry logEntry) {
        return Arguments.of(hex, logEntry);
    }

    private static Arguments item(String hex, BatchItem batchItem) {
        return Arguments.of(hex, batchItem);
    }

    private static Arguments command(String hex, Command.Keyed command) {
        return item(hex, new BatchItem.Submit(command));
    }

    private static Arguments data(String hex, DataOperation operation) {
        return command(hex, new Command.Data(SESSION, 7, KEY, operation));
    }

    @ParameterizedTest
    @MethodSource("entries")
    void an_entry_has_the_recorded_bytes(String hex, LogEntry logEntry) throws Exception {
        byte[] bytes = LogEntryEncoding.encode(logEntry, ClusterVersion.FIRST);
        assertThat(HexFormat.of().formatHex(bytes)).isEqualTo(hex);
        assertThat(LogEntryEncoding.decode(bytes, ClusterVersion.LATEST)).isEqualTo(logEntry);
    }

    @ParameterizedTest
    @MethodSource("items")
    void an_item_has_the_recorded_bytes(String hex, BatchItem batchItem) throws Exception {
        var out = new ByteWriter();
        BatchItemEncoding.write(batchItem, 3L << 32, out);

        assertThat(HexFormat.of().formatHex(out.toBytes())).isEqualTo(hex);
        assertThat(BatchItemEncoding.read(new ByteReader(out.toBytes()), 3L << 32))
                .isEqualTo(batchItem);
    }

    @Test
    void every_kind_of_entry_and_item_has_recorded_bytes() {
        Set<Class<?>> seen = new HashSet<>();
        entries().forEach(it -> seen.add(it.get()[1].getClass()));
        items().forEach(
                        it -> {
                            seen.add(it.get()[1].getClass());
                            if (it.get()[1] instanceof BatchItem.Submit(var command)) {
                                seen.add(command.getClass());
                                if (command instanceof Command.Data data) {
                                    seen.add(data.operation().getClass());
                                }
                            }
                        });

        assertThat(seen)
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(
                                        LogEntry.class,
                                        BatchItem.class,
                                        Command.Keyed.class,
                                        DataOperation.class)
                                .flatMap(LogEntryEncodingTest::kinds)
                                .toList());
    }

    private static Stream<Class<?>> kinds(Class<?> type) {
        return type.isRecord()
                ? Stream.of(type)
                : Stream.of(type.getPermittedSubclasses())
                        .flatMap(LogEntryEncodingTest::kinds)
                        .distinct();
    }

    @Test
    void an_unknown_version_is_refused_with_its_number() {
        assertFails(
                "0206",
                "an entry has the version 2, and this Holdfast knows the versions 1 to 1, before"
                        + " byte 1");
        assertFails(
                "0006",
                "an entry has the version 0, and this Holdfast knows the versions 1 to 1, before"
                        + " byte 1");
    }

    @Test
    void unknown_tags_are_refused_with_their_number() {
        assertFails("010c", "unknown entry tag 12 before byte 2");
        assertFails("010403010163050700016b", "unknown item tag 99 before byte 11");
        assertFails("010403010116050700016b03", "unknown kind 3 before byte 12");
    }

    @Test
    void trailing_bytes_are_refused() {
        assertFails("010600", "1 trailing bytes before byte 2");
    }

    @Test
    void lengths_beyond_the_end_are_refused() {
        assertFails(
                "01040301ffffffff07", "a length of 2147483647, with 0 bytes left, before byte 9");
        assertFails("0105ffffffffffffffffff02", "a number of more than 64 bits before byte 12");
    }

    private static void assertFails(String hex, String message) {
        assertThatExceptionOfType(EncodingException.class)
                .isThrownBy(
                        () ->
                                LogEntryEncoding.decode(
                                        HexFormat.of().parseHex(hex), ClusterVersion.LATEST))
                .withMessage(message);
    }
}
