package io.holdfast.server.lockd;

import static io.holdfast.server.lockd.LockdTestClient.utf8;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.server.TestConfig;
import io.holdfast.server.TestServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

@DisplayName("A lockd command")
@ParameterizedClass
@EnumSource
@Timeout(120)
class LockdCommandsIT {
    enum Transport {
        TCP,
        UNIX
    }

    private static final String EMPTY_COUNTERS =
            """
            command_d: 0
            command_dump: 0
            command_g: 0
            command_i: 0
            command_q: 0
            command_r: 0
            command_sd: 0
            command_sg: 0
            command_si: 0
            command_sr: 0
            connections: 1
            invalid_commands: 0
            locks: 0
            orphans: 0
            shared_locks: 0
            shared_orphans: 0
            """;

    private final Transport transport;
    private final LockdTestServer server;
    private final LockdTestClient one;
    private final Path socket;

    LockdCommandsIT(Transport transport, @TempDir Path folder) {
        this.transport = transport;
        this.socket = folder.resolve("socket");
        this.server =
                LockdTestServer.start(
                        new TestConfig(), LockdTestServer.lockd(), LockdTestServer.unix(socket));
        this.one = connect();
    }

    @AfterEach
    void close() {
        server.close();
    }

    private LockdTestClient connect() {
        return transport == Transport.TCP ? server.connect() : server.connect(socket);
    }

    /** The server's name of a connection. */
    private static String nameOf(LockdTestClient client) {
        return client.request("me").split(" ", 3)[1];
    }

    // ---- lines and verbs

    @Test
    void a_lockd_command_may_arrive_byte_by_byte() {
        for (char c : "g a\r\n g  b\nme".toCharArray()) {
            one.send(String.valueOf(c));
        }
        assertThat(one.line()).isEqualTo("1 Lock Get Success: a\r");
        assertThat(one.line()).isEqualTo("1 Lock Get Success: b\r");
        assertThat(one.send("\n").line()).startsWith("1 ");
    }

    @Test
    void thousands_of_pipelined_lockd_commands_are_answered_in_order() {
        int rounds = 5000;
        StringBuilder commands = new StringBuilder();
        for (int i = 0; i < rounds; i++) {
            commands.append("g n%d\nsg n%d\nd n%d\nr n%d\nsr n%d\n".replace("%d", "" + i));
        }
        Thread sending = Thread.startVirtualThread(() -> one.send(commands.toString()));
        String name = nameOf(connect());
        String mine = null;
        for (int i = 0; i < rounds; i++) {
            assertThat(one.line()).isEqualTo("1 Lock Get Success: n" + i + "\r");
            assertThat(one.line()).isEqualTo("1 Shared Lock Get Success: n" + i + "\r");
            String holder = one.line();
            assertThat(holder).startsWith("n" + i + ": ").isNotEqualTo("n" + i + ": " + name);
            mine = mine == null ? holder.substring(holder.indexOf(' ')) : mine;
            assertThat(holder).endsWith(mine);
            assertThat(one.line()).isEqualTo("1 Lock Release Success: n" + i);
            assertThat(one.line()).isEqualTo("1 Shared Lock Release Success: n" + i + "\r");
        }
        TestServer.soon().until(() -> !sending.isAlive());
        assertThat(one.counters())
                .containsEntry("command_g", (long) rounds)
                .containsEntry("command_d", (long) rounds)
                .containsEntry("locks", 0L)
                .containsEntry("shared_locks", 0L);
    }

    @Test
    void whitespace_around_a_lockd_command_is_stripped_and_inner_whitespace_collapsed() {
        assertThat(one.request("g  two   words ")).isEqualTo("1 Lock Get Success: two words\r");
        assertThat(one.request(" g  two words")).isEqualTo("1 Lock Get Success: two words");
        assertThat(one.request("\t\r g two \t words \r"))
                .isEqualTo("1 Lock Get Success: two words");
        assertThat(one.list("d")).containsExactly("two words: " + nameOf(one));
    }

    @Test
    void lockd_whitespace_is_exactly_that_of_the_original() {
        List<Integer> blanks = new ArrayList<>(List.of(9, 11, 12, 13, 0x20, 0x85, 0xA0, 0x1680));
        IntStream.rangeClosed(0x2000, 0x200A).forEach(blanks::add);
        blanks.addAll(List.of(0x2028, 0x2029, 0x202F, 0x205F, 0x3000));
        for (int blank : blanks) {
            String b = utf8(Character.toString(blank));
            assertThat(one.request(b + "i " + b + "x" + b + b + "y" + b))
                    .as("U+%04X", blank)
                    .isEqualTo("0 Lock Not Locked: x y\r");
        }
        for (int other : new int[] {0x1C, 0x1D, 0x1E, 0x1F, 0x180E, 0x200B, 0xFEFF, 0}) {
            String b = utf8(Character.toString(other));
            assertThat(one.request("i " + b + "x" + b + "y" + b))
                    .as("U+%04X", other)
                    .isEqualTo("0 Lock Not Locked: " + b + "x" + b + "y" + b + "\r");
        }
        for (String lone : List.of("\u0085", "\u00A0", "\u00C2", "\u00E2\u0080", "\u00E3\u0080")) {
            assertThat(one.request("i " + lone + "x" + lone))
                    .isEqualTo("0 Lock Not Locked: " + lone + "x" + lone + "\r");
        }
    }

    @Test
    void the_verb_of_a_lockd_command_ends_at_a_space_only() {
        one.send("g\tx\ng" + utf8("\u00A0") + "x\n");
        assertThat(one.counter("invalid_commands")).isEqualTo(2);
        assertThat(one.counter("locks")).isZero();
    }

    @Test
    void unknown_and_empty_lockd_commands_are_not_answered_but_counted() {
        one.send("G foo\nstats\ndumpshared\n\n   \n\t\r\n\r\nquit\nG\n\u0000\n");
        assertThat(one.counter("invalid_commands")).isEqualTo(10);
        one.assertServed();
    }

    @Test
    void a_lockd_command_keeps_every_byte_of_a_name() {
        String bytes =
                IntStream.rangeClosed(0, 255)
                        .filter(b -> b != '\n')
                        .mapToObj(Character::toString)
                        .reduce("", String::concat);
        // The only whitespace in it is 9, 11-13 and 32, all near the beginning.
        String name = bytes.replaceAll("[\t\u000B\f\r ]+", " ");
        assertThat(one.request("g x" + bytes)).isEqualTo("1 Lock Get Success: x" + name + "\r");
        assertThat(one.list("d x" + bytes)).containsExactly("x" + name + ": " + nameOf(one));
    }

    @Test
    void the_last_lockd_command_needs_no_line_feed() {
        assertThat(one.send("g a").halfClose().rest()).isEqualTo("1 Lock Get Success: a\r\n");
        TestServer.soon().until(() -> !connect().isLocked("a"));
        LockdTestClient two = connect();
        two.get("b");
        assertThat(two.send("d").halfClose().rest()).matches("b: \\S+\n");
        LockdTestClient three = connect();
        assertThat(three.send("unknown").halfClose().rest()).isEmpty();
        LockdTestClient four = connect();
        assertThat(four.send("x".repeat(70_000)).halfClose().rest()).isEmpty();
        LockdTestClient five = connect();
        assertThat(five.counters())
                .containsEntry("invalid_commands", 2L)
                .containsEntry("orphans", 2L);
    }

    @Test
    void lockd_commands_before_a_half_close_are_answered_and_then_locks_are_released() {
        StringBuilder commands = new StringBuilder();
        StringBuilder responses = new StringBuilder();
        for (int i = 0; i < 2000; i++) {
            commands.append("g n").append(i).append("\nsd\n");
            responses.append("1 Lock Get Success: n").append(i).append("\r\n");
        }
        commands.append("dump shared\nsg s\nq");
        assertThat(one.send(commands.toString()).halfClose().rest())
                .startsWith(responses + "map[]\n1 Shared Lock Get Success: s\r\ncommand_d: 0\n")
                .contains("\nlocks: 2000\n")
                .endsWith("\nshared_orphans: 0\n");
        LockdTestClient two = connect();
        assertThat(two.counters())
                .containsEntry("locks", 0L)
                .containsEntry("shared_locks", 0L)
                .containsEntry("orphans", 2000L)
                .containsEntry("shared_orphans", 1L)
                .containsEntry("connections", 1L);
    }

    @Test
    void a_lockd_command_may_be_4095_and_65536_bytes_long_and_not_longer() {
        for (int length : new int[] {4095, 4096, 4097, 65535, 65536}) {
            String name = "y".repeat(length - 2);
            one.get(name);
            assertThat(one.list("d " + name)).containsExactly(name + ": " + nameOf(one));
            one.release(name);
        }
        for (int length : new int[] {65537, 65538, 200_000, 1_000_000}) {
            long before = one.counter("invalid_commands");
            one.send("g " + "y".repeat(length - 2) + "\n");
            assertThat(one.counter("invalid_commands")).isEqualTo(before + 1);
            assertThat(one.counter("locks")).isZero();
            assertThat(one.request("i after")).isEqualTo("0 Lock Not Locked: after\r");
        }
    }

    @Test
    void a_first_line_that_looks_like_http_closes_without_a_response() {
        for (String line :
                List.of("GET / HTTP/1.1\r\n", "POST /x HTTP/1.0\n", "OPTIONS * HTTP/1.1\r\n")) {
            LockdTestClient browser = connect();
            browser.sendIfOpen(line + "Host: localhost\r\n\r\ng smuggled\n");
            browser.assertClosed();
        }
        assertThat(one.isLocked("smuggled")).isFalse();
        one.send("GET / HTTP/1.1\r\n"); // not the first line
        assertThat(one.counter("invalid_commands")).isEqualTo(1);
    }

    // ---- locks

    @Test
    void responses_about_exclusive_locks_have_the_line_ends_of_the_original() {
        LockdTestClient two = connect();
        assertThat(one.request("i foo")).isEqualTo("0 Lock Not Locked: foo\r");
        assertThat(one.request("g foo")).isEqualTo("1 Lock Get Success: foo\r");
        assertThat(one.request("g foo")).isEqualTo("1 Lock Get Success: foo");
        assertThat(two.request("g foo")).isEqualTo("0 Lock Get Failure: foo\r");
        assertThat(one.request("i foo")).isEqualTo("1 Lock Is Locked: foo");
        assertThat(two.request("i foo")).isEqualTo("1 Lock Is Locked: foo\r");
        assertThat(two.request("r foo")).isEqualTo("0 Lock Release Failure: foo");
        assertThat(one.request("r foo")).isEqualTo("1 Lock Release Success: foo");
        assertThat(one.request("r foo")).isEqualTo("0 Lock Release Failure: foo");
        assertThat(two.request("i foo")).isEqualTo("0 Lock Not Locked: foo\r");
        assertThat(two.request("g foo")).isEqualTo("1 Lock Get Success: foo\r");
    }

    @Test
    void responses_about_shared_locks_have_the_line_ends_of_the_original() {
        LockdTestClient two = connect();
        assertThat(one.request("si foo")).isEqualTo("0 Shared Lock Not Locked: foo\r");
        assertThat(one.request("sr foo")).isEqualTo("0 Shared Lock Release Failure: foo\r");
        assertThat(one.request("sg foo")).isEqualTo("1 Shared Lock Get Success: foo\r");
        assertThat(one.request("sg foo")).isEqualTo("1 Shared Lock Get Success: foo\r");
        assertThat(two.request("sg foo")).isEqualTo("2 Shared Lock Get Success: foo\r");
        assertThat(one.request("sg foo")).isEqualTo("2 Shared Lock Get Success: foo\r");
        assertThat(one.request("si foo")).isEqualTo("2 Shared Lock Is Locked: foo\r");
        assertThat(connect().request("si foo")).isEqualTo("2 Shared Lock Is Locked: foo\r");
        assertThat(connect().request("sr foo")).isEqualTo("0 Shared Lock Release Failure: foo\r");
        assertThat(one.request("sr foo")).isEqualTo("1 Shared Lock Release Success: foo\r");
        assertThat(one.request("sr foo")).isEqualTo("0 Shared Lock Release Failure: foo\r");
        assertThat(one.request("si foo")).isEqualTo("1 Shared Lock Is Locked: foo\r");
        assertThat(two.request("sr foo")).isEqualTo("1 Shared Lock Release Success: foo\r");
        assertThat(one.request("si foo")).isEqualTo("0 Shared Lock Not Locked: foo\r");
    }

    @Test
    void exclusive_and_shared_locks_of_one_name_are_different() {
        LockdTestClient two = connect();
        one.get("foo");
        assertThat(two.request("sg foo")).isEqualTo("1 Shared Lock Get Success: foo\r");
        assertThat(one.request("sg foo")).isEqualTo("2 Shared Lock Get Success: foo\r");
        one.release("foo");
        assertThat(one.request("si foo")).isEqualTo("2 Shared Lock Is Locked: foo\r");
        assertThat(one.request("sr foo")).isEqualTo("1 Shared Lock Release Success: foo\r");
        two.get("foo");
        assertThat(one.counters()).containsEntry("locks", 1L).containsEntry("shared_locks", 1L);
    }

    @Test
    void a_lockd_command_without_a_name_uses_the_empty_name() {
        String name = nameOf(one);
        assertThat(one.request("g")).isEqualTo("1 Lock Get Success: \r");
        assertThat(one.request("g ")).isEqualTo("1 Lock Get Success: ");
        assertThat(connect().request("g")).isEqualTo("0 Lock Get Failure: \r");
        assertThat(one.request("i")).isEqualTo("1 Lock Is Locked: ");
        assertThat(one.request("sg")).isEqualTo("1 Shared Lock Get Success: \r");
        assertThat(one.request("si")).isEqualTo("1 Shared Lock Is Locked: \r");
        assertThat(one.list("d")).containsExactly(": " + name);
        assertThat(one.list("sd")).containsExactly(": " + name);
        assertThat(one.request("dump")).isEqualTo("map[:" + name + "]");
        assertThat(one.request("dump shared")).isEqualTo("map[:[" + name + "]]");
        assertThat(one.request("r")).isEqualTo("1 Lock Release Success: ");
        assertThat(one.request("sr")).isEqualTo("1 Shared Lock Release Success: \r");
        assertThat(one.request("i")).isEqualTo("0 Lock Not Locked: \r");
    }

    // ---- listings

    @Test
    void exclusive_locks_are_listed_in_order_of_acquisition_and_dumped_sorted() {
        LockdTestClient two = connect();
        String first = nameOf(one);
        String second = nameOf(two);
        one.get("zebra");
        two.get("apple");
        one.get("\u00FF");
        two.get("Mango");
        one.get("apple pie");
        one.release("zebra");
        two.get("zebra");
        one.request("g apple pie"); // nothing changes
        assertThat(one.list("d"))
                .containsExactly(
                        "apple: " + second,
                        "\u00FF: " + first,
                        "Mango: " + second,
                        "apple pie: " + first,
                        "zebra: " + second);
        assertThat(one.list("d apple")).containsExactly("apple: " + second);
        assertThat(one.list("d nothing")).isEmpty();
        String map =
                "map[Mango:%2 apple:%2 apple pie:%1 zebra:%2 \u00FF:%1]"
                        .replace("%1", first)
                        .replace("%2", second);
        for (String dump :
                List.of("dump", "dump x", "dump SHARED", "dump shared x", "dump apple")) {
            assertThat(one.request(dump)).as(dump).isEqualTo(map);
        }
        assertThat(one.request("dump shared")).isEqualTo("map[]");
    }

    @Test
    void holders_of_a_shared_lock_are_listed_in_order_of_acquisition() {
        LockdTestClient two = connect();
        LockdTestClient three = connect();
        String a = nameOf(one);
        String b = nameOf(two);
        String c = nameOf(three);
        one.request("sg s");
        two.request("sg early");
        two.request("sg s");
        three.request("sg s");
        one.request("sg s"); // does not move it
        assertThat(one.list("sd s")).containsExactly("s: " + a, "s: " + b, "s: " + c);
        one.request("sr s");
        one.request("sg s"); // moves to the end
        assertThat(one.list("sd s")).containsExactly("s: " + b, "s: " + c, "s: " + a);
        assertThat(one.list("sd")).containsExactly("s: " + b, "s: " + c, "s: " + a, "early: " + b);
        assertThat(one.list("sd nothing")).isEmpty();
        assertThat(one.request("dump  shared "))
                .isEqualTo("map[early:[" + b + "] s:[" + b + " " + c + " " + a + "]]");
        assertThat(one.request("dump")).isEqualTo("map[]");
        two.close();
        TestServer.soon().until(() -> one.list("sd").size() == 2);
        assertThat(one.list("sd")).containsExactly("s: " + c, "s: " + a);
    }

    @Test
    void registered_names_are_shown_in_lists_at_once_and_never_in_dumps() {
        String name = nameOf(one);
        one.get("x");
        one.request("sg y");
        assertThat(one.request("iam  the   first ")).isEqualTo("1 ok");
        assertThat(one.list("d")).containsExactly("x: the first");
        assertThat(one.list("sd")).containsExactly("y: the first");
        assertThat(one.request("dump")).isEqualTo("map[x:" + name + "]");
        assertThat(one.request("dump shared")).isEqualTo("map[y:[" + name + "]]");
        assertThat(one.request("iam second")).isEqualTo("1 ok");
        assertThat(connect().list("d x")).containsExactly("x: second");
        assertThat(one.request("iam")).isEqualTo("1 ok");
        assertThat(one.list("d")).containsExactly("x: " + name);
        assertThat(one.list("sd y")).containsExactly("y: " + name);
    }

    // ---- registry

    @Test
    void me_shows_both_names_and_iam_changes_the_second() {
        String name = nameOf(one);
        assertThat(one.request("me")).isEqualTo("1 " + name + " " + name);
        assertThat(one.request("iam")).isEqualTo("1 ok");
        assertThat(one.request("iam some body")).isEqualTo("1 ok");
        assertThat(one.request("me or anybody")).isEqualTo("1 " + name + " some body");
        assertThat(one.request("iam \u00FF")).isEqualTo("1 ok");
        assertThat(one.request("me")).isEqualTo("1 " + name + " \u00FF");
        assertThat(one.request("iam   ")).isEqualTo("1 ok");
        assertThat(one.request("me")).isEqualTo("1 " + name + " " + name);
    }

    @Test
    void who_lists_connections_in_order_of_registration() {
        LockdTestClient two = connect();
        LockdTestClient three = connect();
        String a = nameOf(one);
        String b = nameOf(two);
        String c = nameOf(three);
        assertThat(one.list("who")).isEmpty();
        three.request("iam same");
        one.request("iam same");
        two.request("iam other");
        assertThat(one.list("who")).containsExactly(c + ": same", a + ": same", b + ": other");
        assertThat(one.list("who same")).containsExactly(c + ": same", a + ": same");
        assertThat(one.list("who Same")).isEmpty();
        three.request("iam same"); // registers again, and is the last one now
        assertThat(one.list("who")).containsExactly(a + ": same", b + ": other", c + ": same");
        one.request("iam");
        assertThat(one.list("who same")).containsExactly(c + ": same");
        three.close();
        TestServer.soon().until(() -> one.list("who same").isEmpty());
        assertThat(one.list("who")).containsExactly(b + ": other");
    }

    @Test
    void lockd_names_a_tcp_connection_by_its_address() {
        LockdTestClient client = server.connect();
        assertThat(client.request("me")).isEqualTo("1 " + client.name() + " " + client.name());
    }

    // ---- counters

    @Test
    void q_shows_sixteen_counters_of_a_fresh_server() {
        assertThat(String.join("\n", one.counterLines()) + "\n").isEqualTo(EMPTY_COUNTERS);
        assertThat(one.counter("command_q")).isEqualTo(1);
        assertThat(one.request("q with argument")).isEqualTo("command_d: 0");
        assertThat(one.linesTo("shared_orphans: ")).contains("command_q: 2");
    }

    @Test
    void q_counts_commands_whatever_their_outcome_and_shows_me_iam_who_only_when_used() {
        one.send("g a\ng a\nr a\nr a\ni a\nsg a\nsr a\nsr a\nsr a\nsi a\nd\nd a\nsd\ndump\n");
        for (int i = 0; i < 11; i++) {
            one.line();
        }
        assertThat(one.counters())
                .containsEntry("command_g", 2L)
                .containsEntry("command_r", 2L)
                .containsEntry("command_i", 1L)
                .containsEntry("command_sg", 1L)
                .containsEntry("command_sr", 3L)
                .containsEntry("command_si", 1L)
                .containsEntry("command_d", 2L)
                .containsEntry("command_sd", 1L)
                .containsEntry("command_dump", 1L)
                .containsEntry("command_q", 0L)
                .doesNotContainKeys("command_me", "command_iam", "command_who");
        one.request("me");
        assertThat(one.counters())
                .containsEntry("command_me", 1L)
                .doesNotContainKeys("command_iam", "command_who");
        one.request("iam x");
        one.list("who");
        one.list("who y");
        assertThat(one.counters().keySet())
                .containsExactly(
                        "command_d",
                        "command_dump",
                        "command_g",
                        "command_i",
                        "command_iam",
                        "command_me",
                        "command_q",
                        "command_r",
                        "command_sd",
                        "command_sg",
                        "command_si",
                        "command_sr",
                        "command_who",
                        "connections",
                        "invalid_commands",
                        "locks",
                        "orphans",
                        "shared_locks",
                        "shared_orphans");
        assertThat(one.counters()).containsEntry("command_who", 2L).containsEntry("command_q", 3L);
    }

    @Test
    void orphans_are_counted_once_per_key_and_released_ones_never() {
        LockdTestClient two = connect();
        two.get("a").get("b").get("c").release("b");
        two.request("g a");
        two.request("sg a");
        two.request("sg a");
        two.request("sg d");
        two.request("sr d");
        one.request("sg a");
        two.close();
        TestServer.soon().until(() -> one.counter("connections") == 1);
        assertThat(one.counters())
                .containsEntry("orphans", 2L)
                .containsEntry("shared_orphans", 1L)
                .containsEntry("locks", 0L)
                .containsEntry("shared_locks", 1L);
        assertThat(one.request("si a")).isEqualTo("1 Shared Lock Is Locked: a\r");
    }

    @Test
    void a_reconnected_client_does_not_own_its_earlier_holds() {
        LockdTestClient two = connect();
        two.get("a");
        two.request("iam me again");
        two.close();
        TestServer.soon().until(() -> !one.isLocked("a"));
        LockdTestClient again = connect();
        assertThat(again.request("r a")).isEqualTo("0 Lock Release Failure: a");
        assertThat(again.request("me")).doesNotContain("again");
    }

    @Test
    void no_lockd_response_has_an_empty_line() {
        one.send("d\nsd\nwho\nd x\nsd x\nwho x\n\nnonsense\nme\n");
        assertThat(one.line()).startsWith("1 ");
        one.get("k");
        assertThat(Arrays.asList(one.send("d\nsd\n\ndump\n").halfClose().rest().split("\n", -1)))
                .hasSize(3)
                .satisfies(lines -> assertThat(lines.getLast()).isEmpty());
    }
}
