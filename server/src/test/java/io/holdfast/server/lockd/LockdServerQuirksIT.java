package io.holdfast.server.lockd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.engine.Namespace;
import io.holdfast.server.IoTransport;
import io.holdfast.server.TestConfig;
import io.holdfast.server.TestServer;
import io.holdfast.server.listener.ListenEndpoint;
import io.holdfast.server.listener.StartException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

@DisplayName("A quirk of the original servers that is not ours:")
@Timeout(120)
class LockdServerQuirksIT {
    private static final long MB = 1024 * 1024;

    @TempDir private Path folder;
    private LockdTestServer server = LockdTestServer.start(LockdTestServer.lockd());

    @AfterEach
    void close() {
        server.close();
    }

    private void restart(TestConfig config, ListenEndpoint... listeners) {
        server.close();
        server = LockdTestServer.start(config, listeners);
    }

    private void restart(IoTransport ioTransport) {
        restart(new TestConfig().transport(ioTransport), LockdTestServer.lockd());
    }

    // ---- framing

    @Test
    void q1_all_commands_of_one_write_are_answered_in_order() {
        LockdTestClient client = server.connect();
        client.send("g a\ng b\ni a\nr a\nnonsense\nd\nr b\nme\n");
        assertThat(client.line()).isEqualTo("1 Lock Get Success: a\r");
        assertThat(client.line()).isEqualTo("1 Lock Get Success: b\r");
        assertThat(client.line()).isEqualTo("1 Lock Is Locked: a");
        assertThat(client.line()).isEqualTo("1 Lock Release Success: a");
        assertThat(client.line()).isEqualTo("b: " + client.name());
        assertThat(client.line()).isEqualTo("1 Lock Release Success: b");
        assertThat(client.line()).isEqualTo("1 " + client.name() + " " + client.name());
    }

    @Test
    void q2_no_part_of_an_overlong_line_is_executed_and_the_next_command_works() {
        LockdTestClient client = server.connect();
        for (int length : new int[] {4094, 65_534, 65_535, 131_070, 300_000}) {
            String line = "g " + "y".repeat(length) + "g smuggled";
            client.send(line + "\n");
            if (line.length() <= 65_536) {
                assertThat(client.line()).endsWith("g smuggled\r");
            }
            assertThat(client.isLocked("smuggled")).as("after %s bytes", length).isFalse();
        }
        assertThat(client.counter("invalid_commands")).isEqualTo(4);
        assertThat(client.counter("command_g")).isEqualTo(1);
        client.get("after");
    }

    @ParameterizedTest
    @MethodSource("io.holdfast.server.TestServer#transports")
    void q3_a_line_that_never_ends_takes_no_memory_and_delays_no_client(IoTransport ioTransport)
            throws Exception {
        restart(ioTransport);
        LockdTestClient other = server.connect();
        LockdTestClient endless = server.connect();
        endless.send(new byte[1024 * 1024]); // memory that is allocated once and reused
        other.assertServed();
        long buffers = LockdTestServer.bufferBytes();
        long heap = heapAfterCollection();
        byte[] piece = new byte[1024 * 1024];
        for (int i = 0; i < 100; i++) {
            endless.send(piece);
            other.assertServed();
        }
        assertThat(LockdTestServer.bufferBytes() - buffers).isLessThan(9 * MB);
        assertThat(heapAfterCollection() - heap).isLessThan(9 * MB);
        endless.send("\n").get("after");
        assertThat(other.counter("invalid_commands")).isEqualTo(1);
    }

    private static long heapAfterCollection() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    // ---- lifecycle of connections

    @ParameterizedTest
    @MethodSource("io.holdfast.server.TestServer#transports")
    void q4_connections_that_were_closed_leave_no_descriptor(IoTransport ioTransport)
            throws Exception {
        Path socket = folder.resolve("socket");
        restart(
                new TestConfig().transport(ioTransport),
                LockdTestServer.lockd(),
                LockdTestServer.unix(socket));
        LockdTestClient watching = server.connect();
        openAndClose(watching, socket, 50); // opens descriptors that stay open
        long before = descriptors();
        openAndClose(watching, socket, 2000);
        TestServer.soon().until(() -> descriptors() <= before);
    }

    private void openAndClose(LockdTestClient watching, Path socket, int rounds) {
        for (int i = 0; i < rounds; i += 2) {
            try (var tcp = LockdTestClient.tcp(server.address(0));
                    var unix = LockdTestClient.unix(socket)) {
                tcp.send("g tcp\n");
                unix.send("sg unix\n");
            }
        }
        TestServer.soon().until(() -> watching.counter("connections") == 1);
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        }
    }

    @ParameterizedTest
    @MethodSource("io.holdfast.server.TestServer#transports")
    void q4_a_client_that_half_closes_sees_the_end_of_the_stream(IoTransport ioTransport)
            throws Exception {
        restart(ioTransport);
        LockdTestClient silent = server.connect();
        assertThat(silent.halfClose().rest()).isEmpty();
        LockdTestClient holder = server.connect().get("k");
        assertThat(holder.halfClose().rest()).isEmpty();
        LockdTestClient other = server.connect();
        other.get("k");
        assertThat(other.counter("connections")).isEqualTo(1);
    }

    @Test
    void q5_without_a_registry_me_answers_and_listings_show_connections() throws Exception {
        restart(new TestConfig(), LockdTestServer.lockd(Namespace.DEFAULT, true, false));
        LockdTestClient client = server.connect().get("k");
        client.request("sg s");
        assertThat(client.request("me")).isEqualTo("1 " + client.name() + " " + client.name());
        assertThat(client.list("d")).containsExactly("k: " + client.name());
        assertThat(client.list("sd")).containsExactly("s: " + client.name());
        client.assertServed();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void q5_connections_returns_to_its_value_after_ten_thousand_rounds(boolean registry)
            throws Exception {
        restart(new TestConfig(), LockdTestServer.lockd(Namespace.DEFAULT, true, registry));
        LockdTestClient watching = server.connect();
        String iam = registry ? "1 ok" : "0 disabled";
        for (int i = 0; i < 10_000; i++) {
            try (var client = LockdTestClient.tcp(server.address(0))) {
                switch (i % 4) {
                    case 0 -> client.send("g k\n");
                    case 1 -> assertThat(client.request("iam brief")).isEqualTo(iam);
                    case 2 -> client.reset();
                    default -> {}
                }
            }
        }
        TestServer.soon().until(() -> watching.counter("connections") == 1);
        assertThat(watching.counter("locks")).isZero();
        assertThat(server.connect().counter("connections")).isEqualTo(2);
        assertThat(watching.list("who")).isEqualTo(registry ? List.of() : List.of("0 disabled"));
    }

    @ParameterizedTest
    @MethodSource("io.holdfast.server.TestServer#transports")
    void q6_a_client_that_resets_loses_its_locks_and_others_are_not_affected(
            IoTransport ioTransport) throws Exception {
        restart(ioTransport);
        LockdTestClient other = server.connect().get("mine");
        for (int i = 1; i <= 50; i++) {
            LockdTestClient crashing = server.connect().get("k");
            crashing.request("sg s");
            crashing.request("iam crashing");
            crashing.send("d\n".repeat(i)); // some while responses are in flight
            crashing.reset();
            TestServer.soon().until(() -> other.request("g k").startsWith("1 "));
            TestServer.soon().until(() -> other.counter("connections") == 1);
            assertThat(other.request("si s")).startsWith("0 ");
            assertThat(other.list("who")).isEmpty();
            other.release("k");
        }
        assertThat(other.counters())
                .containsEntry("orphans", 50L)
                .containsEntry("shared_orphans", 50L);
        assertThat(other.request("i mine")).isEqualTo("1 Lock Is Locked: mine");
    }

    /** Linux shows the timer of each socket. */
    @ParameterizedTest
    @MethodSource("io.holdfast.server.TestServer#transports")
    void q7_accepted_connections_are_kept_alive(IoTransport ioTransport) throws Exception {
        assumeTrue(Files.isReadable(Path.of("/proc/net/tcp")), "no list of sockets here");
        restart(ioTransport);
        LockdTestClient client = server.connect();
        client.assertServed();
        String ends =
                ".*:%04X [0-9A-F]+:%04X 01 .*"
                        .formatted(server.address(0).getPort(), client.localPort());
        TestServer.soon()
                .until(
                        () ->
                                sockets().stream()
                                        .filter(line -> line.matches(ends))
                                        .anyMatch(LockdServerQuirksIT::isKeptAlive));
    }

    /** The kernel's TCP sockets; IPv6 ones accept IPv4 connections too. */
    private static List<String> sockets() throws IOException {
        List<String> lines = new ArrayList<>();
        for (String file : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            if (Files.isReadable(Path.of(file))) {
                lines.addAll(Files.readAllLines(Path.of(file)));
            }
        }
        return lines;
    }

    /** Timer 2 is keepalive; 15 s are 1500 ticks. */
    private static boolean isKeptAlive(String line) {
        String[] timer = line.trim().split(" +", -1)[5].split(":", -1);
        long ticks = Long.parseLong(timer[1], 16);
        return timer[0].equals("02") && ticks > 0 && ticks <= 1500;
    }

    @ParameterizedTest
    @MethodSource("io.holdfast.server.TestServer#transports")
    void q8_a_client_that_does_not_read_costs_little_and_gets_its_responses_later(
            IoTransport ioTransport) throws Exception {
        int locks = 300;
        int listings = 2000;
        restart(
                new TestConfig().transport(ioTransport).writeTimeout(Duration.ofMillis(200)),
                LockdTestServer.lockd());
        LockdTestClient holder = server.connect().getMany("some-name-", 0, locks);
        LockdTestClient slow = server.connectNarrow();
        slow.assertServed();
        long before = LockdTestServer.bufferBytes();
        slow.send("d\n".repeat(listings) + "me\n"); // 18 MB of responses
        long start = System.nanoTime();
        int rounds = 0;
        while (System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(800) || rounds < 100) {
            holder.request("sg k");
            assertThat(holder.request("sr k")).startsWith("1 ");
            assertThat(holder.list("d some-name-7")).hasSize(1);
            rounds++;
        }
        assertThat(LockdTestServer.bufferBytes() - before).isLessThan(9 * MB);
        assertThat(holder.counter("command_d")).isLessThan(listings + (long) rounds);
        for (int i = 0; i < listings; i++) {
            for (int j = 0; j < locks; j++) {
                assertThat(slow.line()).startsWith("some-name-").endsWith(holder.name());
            }
        }
        assertThat(slow.line()).isEqualTo("1 " + slow.name() + " " + slow.name());
    }

    @ParameterizedTest
    @MethodSource("io.holdfast.server.TestServer#transports")
    void q8_a_client_that_sends_on_without_reading_is_not_read_from_either(IoTransport ioTransport)
            throws Exception {
        restart(
                new TestConfig().transport(ioTransport).writeTimeout(Duration.ofMillis(200)),
                LockdTestServer.lockd());
        LockdTestClient other = server.connect();
        LockdTestClient slow = server.connectNarrow();
        String name = "n".repeat(4000);
        String command = "i " + name + "\n";
        AtomicBoolean stopped = new AtomicBoolean();
        AtomicInteger sent = new AtomicInteger();
        long before = LockdTestServer.bufferBytes();
        Thread sending =
                Thread.startVirtualThread(
                        () -> {
                            while (!stopped.get()) {
                                slow.send(command);
                                sent.incrementAndGet();
                            }
                        });
        int[] last = {-1};
        TestServer.soon()
                .pollInterval(Duration.ofMillis(200))
                .until(() -> last[0] == (last[0] = sent.get()) && last[0] > 0);
        assertThat(LockdTestServer.bufferBytes() - before).isLessThan(9 * MB);
        other.get("k");
        stopped.set(true);
        int responses = 0;
        while (sending.isAlive() || responses < sent.get()) {
            assertThat(slow.line()).isEqualTo("0 Lock Not Locked: " + name + "\r");
            responses++;
        }
        slow.assertServed();
    }

    // ---- state

    @Test
    void q9_concurrent_changes_and_listings_get_well_formed_responses() throws Exception {
        AtomicBoolean stopped = new AtomicBoolean();
        AtomicLong listed = new AtomicLong();
        AtomicLong changed = new AtomicLong();
        List<Future<?>> all = new ArrayList<>();
        List<LockdTestClient> clients = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            LockdTestClient client = server.connect();
            client.assertServed(); // before the first check: all of them are counted
            clients.add(client);
        }
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 16; i++) {
                LockdTestClient locker = clients.get(2 * i);
                LockdTestClient lister = clients.get(2 * i + 1);
                int number = i;
                all.add(
                        threads.submit(
                                () -> {
                                    for (int j = 0; !stopped.get(); j++) {
                                        change(locker, number, j);
                                        changed.incrementAndGet();
                                    }
                                }));
                all.add(
                        threads.submit(
                                () -> {
                                    while (!stopped.get()) {
                                        listAll(lister);
                                        listed.incrementAndGet();
                                    }
                                }));
            }
            long start = System.nanoTime();
            TestServer.soon()
                    .until(
                            () ->
                                    all.stream().anyMatch(Future::isDone)
                                            || (listed.get() > 500
                                                    && changed.get() > 500
                                                    && System.nanoTime() - start
                                                            > TimeUnit.SECONDS.toNanos(2)));
            stopped.set(true);
            for (Future<?> each : all) {
                each.get(60, TimeUnit.SECONDS);
            }
        }
        server.connect().assertServed();
    }

    private static void change(LockdTestClient client, int number, int round) {
        String own = "own-" + number + "-" + round % 7;
        client.get(own);
        assertThat(client.request("g contended"))
                .matches("[01] Lock Get (Success|Failure): contended\r");
        assertThat(client.request("sg shared")).matches("\\d+ Shared Lock Get Success: shared\r");
        assertThat(client.request("iam name-" + round)).isEqualTo("1 ok");
        assertThat(client.request("sr shared"))
                .isEqualTo("1 Shared Lock Release Success: shared\r");
        assertThat(client.request("r contended"))
                .matches("[01] Lock Release (Success|Failure): contended");
        client.release(own);
        assertThat(client.request("iam")).isEqualTo("1 ok");
    }

    private static void listAll(LockdTestClient client) {
        String holder = "(name-\\d+|127\\.0\\.0\\.1:\\d+)";
        assertThat(client.list("d"))
                .doesNotHaveDuplicates()
                .allMatch(line -> line.matches("(own-\\d+-\\d|contended): " + holder));
        assertThat(client.list("sd")).allMatch(line -> line.matches("shared: " + holder));
        assertThat(client.request("dump"))
                .matches("map\\[( ?(own-\\d+-\\d|contended):127\\.0\\.0\\.1:\\d+)*]");
        assertThat(client.request("dump shared"))
                .matches("map\\[(shared:\\[127\\.0\\.0\\.1:\\d+( 127\\.0\\.0\\.1:\\d+)*])?]");
        assertThat(client.list("who"))
                .allMatch(line -> line.matches("127\\.0\\.0\\.1:\\d+: name-\\d+"));
        assertThat(client.counters())
                .containsEntry("connections", 32L)
                .containsEntry("orphans", 0L)
                .containsEntry("invalid_commands", 0L);
    }

    @Test
    void q10_a_command_that_was_answered_is_counted_on_every_connection() {
        LockdTestClient one = server.connect();
        LockdTestClient two = server.connect();
        for (long i = 1; i <= 300; i++) {
            one.get("k").release("k");
            one.send("unknown\n").assertServed();
            one.request("dump");
            assertThat(two.counters())
                    .containsEntry("command_g", i)
                    .containsEntry("command_r", i)
                    .containsEntry("command_si", i)
                    .containsEntry("command_dump", i)
                    .containsEntry("invalid_commands", i)
                    .containsEntry("command_q", i - 1);
        }
    }

    @Test
    void q10_q_never_counts_itself_even_when_many_are_sent_at_once() {
        LockdTestClient client = server.connect();
        client.send("q\n".repeat(200));
        for (int i = 0; i < 200; i++) {
            assertThat(client.linesTo("shared_orphans: ")).contains("command_q: " + i);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "constructor",
                "__proto__",
                "toString",
                "hasOwnProperty",
                "valueOf",
                "prototype",
                "length",
                "null",
                "undefined"
            })
    void q11_names_with_a_meaning_in_other_formats_are_plain_names(String name) {
        LockdTestClient one = server.connect();
        LockdTestClient two = server.connect();
        assertThat(one.isLocked(name)).isFalse();
        assertThat(one.request("si " + name)).isEqualTo("0 Shared Lock Not Locked: " + name + "\r");
        assertThat(one.request("sr " + name))
                .isEqualTo("0 Shared Lock Release Failure: " + name + "\r");
        assertThat(one.request("sg " + name))
                .isEqualTo("1 Shared Lock Get Success: " + name + "\r");
        assertThat(two.request("sg " + name))
                .isEqualTo("2 Shared Lock Get Success: " + name + "\r");
        one.get(name);
        two.assertRefused(name);
        assertThat(one.list("d")).containsExactly(name + ": " + one.name());
        one.release(name);
        assertThat(one.request("iam " + name)).isEqualTo("1 ok");
        assertThat(two.list("who " + name)).containsExactly(one.name() + ": " + name);
    }

    @Test
    void q12_si_returns_the_same_count_to_every_client() {
        LockdTestClient one = server.connect();
        LockdTestClient two = server.connect();
        one.request("sg s");
        two.request("sg s");
        LockdTestClient none = server.connect();
        for (LockdTestClient client : List.of(one, two, none)) {
            assertThat(client.request("si s")).isEqualTo("2 Shared Lock Is Locked: s\r");
        }
    }

    @Test
    void q13_names_that_are_not_utf_8_are_different_locks() {
        LockdTestClient one = server.connect();
        LockdTestClient two = server.connect();
        one.get("\u00FF");
        two.get("\u00FE").get("\u00EF\u00BF\u00BD").get("\u00FF\u00FF").get("\u00C3\u00BF");
        two.assertRefused("\u00FF");
        one.assertRefused("\u00FE");
        assertThat(one.request("dump"))
                .isEqualTo(
                        "map[\u00C3\u00BF:%2 \u00EF\u00BF\u00BD:%2 \u00FE:%2 \u00FF:%1 \u00FF\u00FF:%2]"
                                .replace("%1", one.name())
                                .replace("%2", two.name()));
    }

    @Test
    void q14_dump_and_who_show_the_true_connection_whatever_name_it_registered() {
        LockdTestClient honest = server.connect().get("a");
        LockdTestClient liar = server.connect().get("b");
        liar.request("sg s");
        assertThat(liar.request("iam " + honest.name())).isEqualTo("1 ok");
        assertThat(honest.list("d")).containsExactly("a: " + honest.name(), "b: " + honest.name());
        assertThat(honest.request("dump"))
                .isEqualTo("map[a:" + honest.name() + " b:" + liar.name() + "]");
        assertThat(honest.request("dump shared")).isEqualTo("map[s:[" + liar.name() + "]]");
        assertThat(honest.list("who")).containsExactly(liar.name() + ": " + honest.name());
        assertThat(honest.request("me")).isEqualTo("1 " + honest.name() + " " + honest.name());
    }

    // ---- process

    @Test
    void q19_a_file_that_is_not_a_socket_is_not_touched() throws Exception {
        Path file = Files.writeString(folder.resolve("precious"), "text");
        assertThatThrownBy(() -> restartOn(file)).hasMessageContaining(file.toString());
        assertThat(file).hasContent("text");
    }

    @Test
    void q19_the_socket_of_a_live_server_is_not_touched() throws Exception {
        Path socket = folder.resolve("socket");
        try (ServerSocketChannel live = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            live.bind(UnixDomainSocketAddress.of(socket));
            assertThatThrownBy(() -> restartOn(socket))
                    .hasMessageContaining("another server is listening");
            live.accept().close(); // the probe whether a server is listening
            try (LockdTestClient _ = LockdTestClient.unix(socket)) {
                live.accept().close();
            }
        }
    }

    @Test
    void q19_the_mode_of_the_socket_follows_the_umask_or_the_configuration() throws Exception {
        Path plain = folder.resolve("plain");
        Path chosen = folder.resolve("chosen");
        restart(
                new TestConfig(),
                LockdTestServer.unix(plain),
                LockdTestServer.unix(chosen, PosixFilePermissions.fromString("rw-rw----")));
        Path other = folder.resolve("other");
        try (ServerSocketChannel usual = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            usual.bind(UnixDomainSocketAddress.of(other));
            assertThat(Files.getPosixFilePermissions(plain))
                    .isEqualTo(Files.getPosixFilePermissions(other));
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(chosen)))
                .isEqualTo("rw-rw----");
    }

    /** Restarts the server on a path; a failure has the message for the user. */
    private void restartOn(Path path) throws Exception {
        try {
            restart(new TestConfig(), LockdTestServer.unix(path));
        } catch (AssertionError e) {
            assertThat(e.getCause()).isInstanceOf(StartException.class);
            throw (StartException) e.getCause();
        }
    }

    /** The set of counters does not depend on the client. */
    @Test
    void q10_every_client_gets_the_same_counters() {
        LockdTestClient one = server.connect();
        LockdTestClient two = server.connect();
        two.assertServed();
        Map<String, Long> first = one.counters();
        Map<String, Long> second = two.counters();
        first.merge("command_q", 1L, Long::sum);
        assertThat(second).isEqualTo(first);
    }
}
