package io.holdfast.protocol.dflockd;

import static io.holdfast.protocol.dflockd.DflockdStats.Part.COUNTERS;
import static io.holdfast.protocol.dflockd.DflockdStats.Part.IDLE_LOCKS;
import static io.holdfast.protocol.dflockd.DflockdStats.Part.IDLE_SEMAPHORES;
import static io.holdfast.protocol.dflockd.DflockdStats.Part.LISTS;
import static io.holdfast.protocol.dflockd.DflockdStats.Part.LOCKS;
import static io.holdfast.protocol.dflockd.DflockdStats.Part.SEMAPHORES;
import static io.holdfast.protocol.dflockd.DflockdStats.Part.SIGNAL_CHANNELS;
import static io.holdfast.protocol.dflockd.DflockdStats.Part.VALUES;
import static io.holdfast.protocol.dflockd.WireBytes.key;
import static io.holdfast.protocol.dflockd.WireBytes.seconds;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.view.CounterView;
import io.holdfast.engine.view.ListView;
import io.holdfast.engine.view.ResourceView;
import io.holdfast.engine.view.ValueView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

@DisplayName("The response of stats")
class DflockdStatsTest {
    private static final String REST =
            ",\"counters\":[],\"kv_entries\":[],\"lists\":[],\"signal_channels\":[]}\n";

    /** Writes stats like the server: each part is offered all keys of its kind of state. */
    private static String line(int connections, List<ResourceView> used, List<ResourceView> idle) {
        ByteBuf out = Unpooled.buffer();
        DflockdStats stats = new DflockdStats();
        stats.begin(connections, out);
        for (DflockdStats.Part part : DflockdStats.Part.values()) {
            stats.begin(part, out);
            for (ResourceView view : part == IDLE_LOCKS || part == IDLE_SEMAPHORES ? idle : used) {
                stats.write(part, view, out);
            }
            stats.end(part, out);
        }
        stats.end(out);
        return out.toString(StandardCharsets.UTF_8);
    }

    private static ResourceView lock(Key key, long owner, long leaseLeftNanos, int waiters) {
        return new ResourceView(
                ResourceKind.LOCK,
                key,
                1,
                owner == 0 ? 0 : 1,
                waiters,
                owner,
                leaseLeftNanos,
                0,
                0,
                ReadWriteMode.WRITE,
                0);
    }

    private static ResourceView semaphore(String key, long limit, int holders, int waiters) {
        return new ResourceView(
                ResourceKind.SEMAPHORE,
                key(key),
                limit,
                holders,
                waiters,
                9,
                seconds(7),
                0,
                0,
                ReadWriteMode.WRITE,
                0);
    }

    private static ResourceView idle(
            ResourceKind resourceKind, String key, long limit, long idleNanos) {
        return new ResourceView(
                resourceKind, key(key), limit, 0, 0, 0, 0, idleNanos, 0, ReadWriteMode.WRITE, 0);
    }

    @Test
    void stats_have_nine_fields_in_order_and_empty_arrays() {
        assertThat(line(1, List.of(), List.of()))
                .isEqualTo(
                        "ok {\"connections\":1,\"locks\":[],\"semaphores\":[],\"idle_locks\":[],"
                                + "\"idle_semaphores\":[]"
                                + REST);
    }

    @Test
    void stats_show_the_owner_the_lease_and_the_waiters_of_a_lock() {
        assertThat(line(2, List.of(lock(key("printer"), 7, 32_500_000_000L, 3)), List.of()))
                .isEqualTo(
                        "ok {\"connections\":2,\"locks\":[{\"key\":\"printer\",\"owner_conn_id\":7,"
                                + "\"lease_expires_in_s\":32.5,\"waiters\":3}],\"semaphores\":[],"
                                + "\"idle_locks\":[],\"idle_semaphores\":[]"
                                + REST);
    }

    @Test
    void stats_show_a_lock_with_only_waiters_without_an_owner() {
        assertThat(line(1, List.of(lock(key("printer"), 0, 0, 1)), List.of()))
                .contains(
                        "{\"key\":\"printer\",\"owner_conn_id\":0,\"lease_expires_in_s\":0,"
                                + "\"waiters\":1}");
    }

    @Test
    void stats_count_the_holders_and_the_waiters_of_a_semaphore() {
        assertThat(line(1, List.of(semaphore("pool", 3, 2, 1)), List.of()))
                .contains(
                        "\"locks\":[],\"semaphores\":[{\"key\":\"pool\",\"limit\":3,\"holders\":2,"
                                + "\"waiters\":1}],");
    }

    @Test
    void stats_list_a_semaphore_of_limit_1_among_the_locks() {
        assertThat(line(1, List.of(semaphore("one", 1, 1, 0)), List.of()))
                .contains(
                        "\"locks\":[{\"key\":\"one\",\"owner_conn_id\":9,\"lease_expires_in_s\":7,"
                                + "\"waiters\":0}],\"semaphores\":[],");
        assertThat(line(1, List.of(), List.of(idle(ResourceKind.SEMAPHORE, "one", 1, seconds(2)))))
                .contains(
                        "\"idle_locks\":[{\"key\":\"one\",\"idle_s\":2}],\"idle_semaphores\":[],");
    }

    @Test
    void stats_list_idle_keys_separately() {
        List<ResourceView> idle =
                List.of(
                        idle(ResourceKind.LOCK, "printer", 1, 1),
                        idle(ResourceKind.SEMAPHORE, "pool", 2, seconds(59)));
        assertThat(line(1, List.of(), idle))
                .contains(
                        "\"locks\":[],\"semaphores\":[],"
                                + "\"idle_locks\":[{\"key\":\"printer\",\"idle_s\":0.000000001}],"
                                + "\"idle_semaphores\":[{\"key\":\"pool\",\"idle_s\":59}],");
    }

    @Test
    void the_entries_of_each_array_of_stats_are_separated_by_commas() {
        List<ResourceView> used =
                List.of(
                        lock(key("a"), 1, seconds(1), 0),
                        semaphore("x", 2, 1, 0),
                        lock(key("b"), 2, seconds(2), 0),
                        semaphore("y", 2, 1, 0));
        assertThat(line(1, used, List.of()))
                .contains(
                        "\"locks\":[{\"key\":\"a\",\"owner_conn_id\":1,\"lease_expires_in_s\":1,"
                                + "\"waiters\":0},{\"key\":\"b\",\"owner_conn_id\":2,"
                                + "\"lease_expires_in_s\":2,\"waiters\":0}],")
                .contains(
                        "\"semaphores\":[{\"key\":\"x\",\"limit\":2,\"holders\":1,\"waiters\":0},"
                                + "{\"key\":\"y\",\"limit\":2,\"holders\":1,\"waiters\":0}],");
    }

    @Test
    void stats_are_one_line_of_valid_json_with_any_key() {
        byte[] bytes = WireBytes.raw("a\"\\\u0000\u000b<\u00ff\u00e2\u0080\u00a8\n");
        var odd = lock(Key.of(Namespace.DEFAULT, bytes), 1, 1, 0);
        assertThat(line(1, List.of(odd), List.of()))
                .contains("\"key\":\"a\\\"\\\\\\u0000\\u000b\\u003c\\ufffd\\u2028\\n\"")
                .containsOnlyOnce("\n");
    }

    @Test
    void stats_show_an_unlimited_lease_as_the_longest_duration() {
        assertThat(line(1, List.of(lock(key("a"), 1, Command.FOREVER, 0)), List.of()))
                .contains("\"lease_expires_in_s\":9223372036,");
    }

    @Test
    void stats_omit_the_namespace_of_a_key() {
        var key = Key.of(new Namespace("tenant"), WireBytes.raw("a"));
        assertThat(line(1, List.of(lock(key, 1, 1, 0)), List.of())).contains("\"key\":\"a\"");
    }

    @Test
    void the_parts_of_stats_are_in_this_order() {
        assertThat(Arrays.asList(DflockdStats.Part.values()))
                .containsExactly(
                        LOCKS,
                        SEMAPHORES,
                        IDLE_LOCKS,
                        IDLE_SEMAPHORES,
                        COUNTERS,
                        VALUES,
                        LISTS,
                        SIGNAL_CHANNELS);
    }

    /** Stats with these elements in one part and none in the others. */
    private static String only(DflockdStats.Part part, BiConsumer<DflockdStats, ByteBuf> entries) {
        ByteBuf out = Unpooled.buffer();
        DflockdStats stats = new DflockdStats();
        stats.begin(1, out);
        for (DflockdStats.Part it : DflockdStats.Part.values()) {
            stats.begin(it, out);
            if (it == part) {
                entries.accept(stats, out);
            }
            stats.end(it, out);
        }
        stats.end(out);
        return out.toString(StandardCharsets.UTF_8);
    }

    /** The content of the array with this name, where all others are empty. */
    private static String in(String name, String line) {
        String before = "ok {\"connections\":1,";
        List<String> names =
                List.of(
                        "locks",
                        "semaphores",
                        "idle_locks",
                        "idle_semaphores",
                        "counters",
                        "kv_entries",
                        "lists",
                        "signal_channels");
        String pattern =
                names.stream()
                        .map(it -> "\"" + it + "\":\\[" + (it.equals(name) ? "(.*)" : "") + "]")
                        .collect(Collectors.joining(","));
        Matcher matcher = Pattern.compile(pattern + "}\n").matcher(line);
        matcher.region(before.length(), line.length());
        assertThat(line).startsWith(before);
        assertThat(matcher.matches()).as("%s is alone in %s", name, line).isTrue();
        return matcher.group(1);
    }

    @Test
    void stats_show_counters_with_value_and_idle_time() {
        String line =
                only(
                        COUNTERS,
                        (stats, out) -> {
                            stats.write(new CounterView(key("a"), Long.MIN_VALUE, 0), out);
                            stats.write(new CounterView(key("b"), Long.MAX_VALUE, 1), out);
                            stats.write(new CounterView(key("c"), 0, seconds(90)), out);
                        });
        assertThat(in("counters", line))
                .isEqualTo(
                        "{\"key\":\"a\",\"value\":-9223372036854775808,\"idle_s\":0},"
                                + "{\"key\":\"b\",\"value\":9223372036854775807,"
                                + "\"idle_s\":0.000000001},"
                                + "{\"key\":\"c\",\"value\":0,\"idle_s\":90}");
    }

    @Test
    void stats_show_values_with_length_time_to_live_and_idle_time() {
        String line =
                only(
                        VALUES,
                        (stats, out) -> {
                            stats.write(new ValueView(key("a"), 5, 0, seconds(3)), out);
                            stats.write(new ValueView(key("b"), 0, 1_500_000_000L, 0), out);
                            stats.write(new ValueView(key("c"), 256, 1, 2), out);
                        });
        assertThat(in("kv_entries", line))
                .isEqualTo(
                        "{\"key\":\"a\",\"value_len\":5,\"ttl\":0,\"idle_s\":3},"
                                + "{\"key\":\"b\",\"value_len\":0,\"ttl\":1.5,\"idle_s\":0},"
                                + "{\"key\":\"c\",\"value_len\":256,\"ttl\":0.000000001,"
                                + "\"idle_s\":0.000000002}");
    }

    @Test
    void stats_show_a_value_that_never_expires_with_the_longest_duration() {
        for (long left : new long[] {Command.FOREVER, Command.FOREVER - 1, seconds(9223372036L)}) {
            String line =
                    only(
                            VALUES,
                            (stats, out) -> stats.write(new ValueView(key("a"), 1, left, 0), out));
            assertThat(in("kv_entries", line)).contains("\"ttl\":9223372036,");
        }
    }

    @Test
    void stats_show_lists_with_length_and_idle_time() {
        String line =
                only(
                        LISTS,
                        (stats, out) -> {
                            stats.write(new ListView(key("a"), 1, 0), out);
                            stats.write(
                                    new ListView(key("b"), Integer.MAX_VALUE, 250_000_000L), out);
                        });
        assertThat(in("lists", line))
                .isEqualTo(
                        "{\"key\":\"a\",\"len\":1,\"idle_s\":0},"
                                + "{\"key\":\"b\",\"len\":2147483647,\"idle_s\":0.25}");
    }

    @Test
    void stats_show_listeners_and_omit_an_empty_group() {
        String line =
                only(
                        SIGNAL_CHANNELS,
                        (stats, out) -> {
                            stats.writeChannel(key("alerts.>"), ByteString.EMPTY, 2, out);
                            stats.writeChannel(key("a.*"), ByteString.of("my <group>"), 1, out);
                        });
        assertThat(in("signal_channels", line))
                .isEqualTo(
                        "{\"pattern\":\"alerts.\\u003e\",\"listeners\":2},"
                                + "{\"pattern\":\"a.*\",\"group\":\"my \\u003cgroup\\u003e\","
                                + "\"listeners\":1}");
    }

    @Test
    void stats_are_one_line_of_valid_json_with_any_data_key_and_channel() {
        byte[] bytes = WireBytes.raw("a\"\\\u0000\u000b<\u00ff\u00e2\u0080\u00a8\n");
        String escaped = "\"a\\\"\\\\\\u0000\\u000b\\u003c\\ufffd\\u2028\\n\"";
        Key odd = Key.of(Namespace.DEFAULT, bytes);
        List<BiConsumer<DflockdStats, ByteBuf>> entries =
                List.of(
                        (stats, out) -> stats.write(new CounterView(odd, 1, 1), out),
                        (stats, out) -> stats.write(new ValueView(odd, 1, 1, 1), out),
                        (stats, out) -> stats.write(new ListView(odd, 1, 1), out),
                        (stats, out) -> stats.writeChannel(odd, ByteString.of(bytes), 1, out));
        for (BiConsumer<DflockdStats, ByteBuf> entry : entries) {
            assertThat(only(COUNTERS, entry)).contains(":" + escaped + ",").containsOnlyOnce("\n");
        }
        assertThat(only(SIGNAL_CHANNELS, entries.getLast()))
                .contains("\"pattern\":" + escaped + ",\"group\":" + escaped + ",");
    }

    @Test
    void stats_have_no_locks_among_data_and_channels() {
        var lock = lock(key("a"), 1, 1, 0);
        var idle = idle(ResourceKind.SEMAPHORE, "b", 3, 1);
        for (DflockdStats.Part part : List.of(COUNTERS, VALUES, LISTS, SIGNAL_CHANNELS)) {
            assertThat(
                            only(
                                    part,
                                    (stats, out) -> {
                                        stats.write(part, lock, out);
                                        stats.write(part, idle, out);
                                    }))
                    .isEqualTo(line(1, List.of(), List.of()));
        }
    }
}
