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
                .until(() -> api.requests().stream().anyMatch(request -> request.contains(part)));
    }

    @Test
    void keys_switch_view_order_and_filter() throws IOException {
        try (Pty pty = top()) {
            pty.awaitScreen("deploy");
            assertThat(pty.screen()).hasSize(24);
            assertThat(pty.screen().get(2)).isEqualTo("keys 1-2 of 2, most waiters first");
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
    void the_screen_fits_any_size() throws Exception {
        try (Pty pty = top()) {
            pty.awaitScreen("deploy");
            pty.resize(8, 30);
            // stty changes the rows first, then the columns
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
    void a_lost_server_is_shown_until_it_is_back() throws IOException {
        try (Pty pty = top()) {
            pty.awaitScreen("deploy");
            int port = api.port();
            api.close();
            pty.awaitScreen(", retrying");
            assertThat(pty.screen()).anySatisfy(line -> assertThat(line).startsWith("deploy "));
            api = started(port);
            pty.awaitScreen(lines -> lines.getLast().startsWith("q quit"), "help");
            pty.type("\u0003");
            assertThat(pty.status()).isEqualTo(130);
            pty.assertClean();
        }
    }

    @Test
    void the_terminal_is_restored_although_stty_fails_twice(@TempDir Path folder)
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
            pty.type("\u0013\u0003\u0003\u0003"); // Ctrl-S must not stop the output
            assertThat(pty.status()).isEqualTo(130);
            pty.assertClean();
            assertThat(folder.resolve("stty.2")).exists();
        }
    }

    @Test
    void top_ends_although_its_output_is_not_read() throws Exception {
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
            int before = api.requests().size();
            await().atMost(Duration.ofSeconds(60)).until(() -> api.requests().size() > before + 20);
            pty.signal("TERM");
            pty.awaitEnd();
            pty.readAgain();
            assertThat(pty.status()).isEqualTo(143);
            pty.assertSettings();
        }
    }

    @ParameterizedTest
    @CsvSource({"401,requires a token", "404,not found"})
    void a_rejected_first_request_ends_top(int status, String text) throws IOException {
        api.refuse("/v1/overview", status, "refused");
        try (Pty pty = top()) {
            assertThat(pty.status()).isEqualTo(3);
            assertThat(pty.written()).contains(text).doesNotContain("\u001b");
        }
    }
}
