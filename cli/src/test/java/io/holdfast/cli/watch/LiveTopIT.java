package io.holdfast.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.testsupport.NeedsProgram;
import io.holdfast.testsupport.OutsideProgram;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

@DisplayName("holdfast top at a terminal")
@NeedsProgram(OutsideProgram.SCRIPT)
@Execution(ExecutionMode.CONCURRENT)
class LiveTopIT {
    private FakeApi api;

    @BeforeEach
    void start() throws IOException {
        api = started(0);
    }

    private static FakeApi started(int port) throws IOException {
        return new FakeApi(port)
                .put("/v1/keys", TopCommandIT.KEYS)
                .put("/v1/connections", TopCommandIT.CONNECTIONS)
                .put("/v1/waits", TopCommandIT.WAITS);
    }

    @AfterEach
    void stop() {
        api.close();
    }

    private Pty top() throws IOException {
        return Pty.start("top", "--http", api.url(), "--interval", "200ms");
    }

    private void awaitAsked(String part) {
        await(part)
                .atMost(Duration.ofSeconds(60))
                .until(() -> api.asked().stream().anyMatch(asked -> asked.contains(part)));
    }

    @Test
    void shows_what_is_asked_for_by_keys() throws IOException {
        try (Pty pty = top()) {
            pty.awaitScreen("deploy");
            assertThat(pty.screen()).hasSize(24);
            assertThat(pty.screen().get(2)).isEqualTo("keys 1-2 of 2, most waiting first");
            assertThat(pty.screen().get(3)).startsWith("KEY ");
            assertThat(pty.screen().getLast()).startsWith("q quit");
            assertThat(pty.screen().get(5)).startsWith("tenant: odd\\u001b[2J ");
            awaitAsked("limit=19");
            pty.type("s");
            pty.awaitScreen("longest held first");
            pty.type("r");
            pty.awaitScreen("longest held first, reversed");
            awaitAsked("sort=held&order=asc");
            pty.type("/xq");
            pty.awaitScreen("filter: xq_");
            awaitAsked("q=xq&");
            pty.type("\u007fé\r");
            pty.awaitScreen("with \"xé\"");
            pty.type("\u001b");
            pty.awaitScreen(
                    lines -> lines.get(2).equals("keys 1-2 of 2, longest held first, reversed"),
                    "no filter");
            pty.type("w");
            pty.awaitScreen("DEADLOCK: #1 host:1");
            pty.type("c");
            pty.awaitScreen("connections 1-1 of 1");
            pty.type("q");
            assertThat(pty.status()).isZero();
            pty.assertClean();
        }
    }

    private static boolean fit(List<String> lines, int columns) {
        return lines.stream().allMatch(line -> TerminalText.width(line) <= columns);
    }

    @Test
    void fits_any_size() throws Exception {
        try (Pty pty = top()) {
            pty.awaitScreen("deploy");
            pty.resize(8, 30);
            // stty changes first the rows, then the columns
            pty.awaitScreen(lines -> lines.size() == 8 && fit(lines, 30), "8 lines of 30");
            assertThat(pty.screen()).anySatisfy(line -> assertThat(line).startsWith("deploy "));
            pty.resize(1, 5);
            pty.awaitScreen(lines -> lines.size() == 1 && fit(lines, 5), "one line of 5");
            pty.resize(50, 200);
            pty.awaitScreen(lines -> lines.size() == 50, "50 lines");
            awaitAsked("limit=45");
            pty.signal("TERM");
            assertThat(pty.status()).isEqualTo(143);
            pty.assertClean();
        }
    }

    @Test
    void says_that_the_server_is_gone_until_it_is_back() throws IOException {
        try (Pty pty = top()) {
            pty.awaitScreen("deploy");
            int port = api.port();
            api.close();
            pty.awaitScreen(", trying again");
            assertThat(pty.screen()).anySatisfy(line -> assertThat(line).startsWith("deploy "));
            api = started(port);
            pty.awaitScreen(lines -> lines.getLast().startsWith("q quit"), "help");
            pty.type("\u0003");
            assertThat(pty.status()).isEqualTo(130);
            pty.assertClean();
        }
    }

    @Test
    void restores_the_terminal_although_the_command_for_it_fails_twice(@TempDir Path folder)
            throws IOException {
        Path stty = folder.resolve("stty");
        Files.writeString(
                stty,
                """
                #!/bin/sh
                real=$(PATH=${PATH#*:} command -v stty)
                case "$*" in *:*:*)
                    [ -e "$0.1" ] || { : > "$0.1"; kill -INT $$; }
                    [ -e "$0.2" ] || { : > "$0.2"; exit 1; }
                esac
                exec "$real" "$@"
                """);
        assertThat(stty.toFile().setExecutable(true)).isTrue();
        String path = folder + ":" + System.getenv("PATH");
        try (Pty pty = Pty.start(Map.of("PATH", path), "top", "--http", api.url())) {
            pty.awaitScreen("deploy");
            pty.type("\u0013\u0003\u0003\u0003"); // the first holds no output back
            assertThat(pty.status()).isEqualTo(130);
            pty.assertClean();
            assertThat(folder.resolve("stty.2")).exists();
        }
    }

    @Test
    void ends_although_nobody_reads_what_it_writes() throws Exception {
        String row = TopCommandIT.KEYS.lines().skip(1).limit(3).collect(Collectors.joining());
        api.put(
                "/v1/keys",
                "{\"total\":400,\"keys\":["
                        + IntStream.range(0, 400)
                                .mapToObj(i -> row.substring(0, row.lastIndexOf('}') + 1))
                                .collect(Collectors.joining(","))
                        + "]}");
        try (Pty pty = Pty.start("top", "--http", api.url(), "--interval", "100ms")) {
            pty.awaitScreen("deploy");
            pty.resize(400, 200);
            pty.awaitScreen(lines -> lines.size() == 400, "400 lines");
            pty.stopReading();
            int before = api.asked().size();
            await().atMost(Duration.ofSeconds(60)).until(() -> api.asked().size() > before + 20);
            pty.signal("TERM");
            pty.awaitEnd();
            pty.readAgain();
            assertThat(pty.status()).isEqualTo(143);
            pty.assertSettings();
        }
    }

    @ParameterizedTest
    @CsvSource({"401,requires a token", "404,does not have that"})
    void does_not_begin_where_it_is_refused(int status, String text) throws IOException {
        api.refuse("/v1/overview", status, "refused");
        try (Pty pty = top()) {
            assertThat(pty.status()).isEqualTo(3);
            assertThat(pty.written()).contains(text).doesNotContain("\u001b");
        }
    }
}
