package io.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Checks each row of the table of {@code kset}'s arguments against a server. */
@DisplayName("The table of values of docs/dflockd.md")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ValuesTableIT {
    private static final Pattern ROW =
            Pattern.compile("\\| (?:`([^`]*)`|nothing)[^|]* \\| (.*) \\|");
    private static final Pattern STORED =
            Pattern.compile("(?:`([^`]*)`|the empty value)(?:, for (\\d+) seconds)?.*");
    private static final Pattern TTL = Pattern.compile("\"ttl\":([0-9.]+)");

    private ExampleServer server;

    @BeforeAll
    void start() throws Exception {
        server = new ExampleServer(List.of("serve"));
    }

    @AfterAll
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    @TestFactory
    Stream<DynamicTest> the_table_of_values_shows_what_is_stored() throws IOException {
        List<String> rows =
                Page.read(Path.of("..", "docs", "dflockd.md")).lines().stream()
                        .dropWhile(line -> !line.equals("| argument | stored |"))
                        .skip(2)
                        .takeWhile(line -> line.startsWith("|"))
                        .toList();
        assertThat(rows).hasSizeGreaterThan(5);
        return rows.stream().map(row -> dynamicTest(row, () -> check(row)));
    }

    private void check(String row) throws IOException {
        Matcher cells = ROW.matcher(row);
        assertThat(cells.matches()).isTrue();
        String argument = cells.group(1) == null ? "" : cells.group(1);
        String responses = converse("kset\nk\n" + argument + "\nkget\nk\n\nstats\n\n\nkdel\nk\n\n");
        if (cells.group(2).contains("`error`")) {
            assertThat(responses).startsWith("error\nnil\n");
            return;
        }
        Matcher stored = STORED.matcher(cells.group(2));
        assertThat(stored.matches()).isTrue();
        String value = stored.group(1) == null ? "" : " " + stored.group(1);
        assertThat(responses).startsWith("ok\nok" + value + "\n");
        Matcher matcher = TTL.matcher(responses);
        assertThat(matcher.find()).isTrue();
        double ttl = stored.group(2) == null ? 0 : Double.parseDouble(stored.group(2));
        assertThat(Double.parseDouble(matcher.group(1)))
                .isLessThanOrEqualTo(ttl)
                .isGreaterThanOrEqualTo(ttl / 2);
    }

    /** Returns all responses of the server. */
    private String converse(String requests) throws IOException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(requests.getBytes(StandardCharsets.UTF_8));
            socket.shutdownOutput();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
