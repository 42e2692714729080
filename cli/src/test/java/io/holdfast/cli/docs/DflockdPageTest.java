package io.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

@DisplayName("docs/dflockd.md")
class DflockdPageTest {
    private static final List<String> KEYLESS = List.of("ping", "stats", "auth");
    private static final Pattern LIMIT_FLAG = Pattern.compile("^\\| `(--max-[a-z-]+)`");

    private static Page page;
    private static List<Example> examples;

    @BeforeAll
    static void read() throws IOException {
        page = Page.read(Path.of("..", "docs", "dflockd.md"));
        examples = page.examples();
    }

    private static boolean hasTableRow(String firstCell) {
        return page.lines().stream().anyMatch(line -> line.startsWith("| " + firstCell));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "l",
                "r",
                "n",
                "e",
                "w",
                "sl",
                "sr",
                "sn",
                "se",
                "sw",
                "listen",
                "unlisten",
                "signal",
                "incr",
                "decr",
                "get",
                "cset",
                "kset",
                "kget",
                "kdel",
                "lpush",
                "rpush",
                "lpop",
                "rpop",
                "llen",
                "lrange",
                "ping",
                "stats",
                "auth"
            })
    void the_dflockd_page_lists_each_command_with_an_example(String command) {
        assertThat(hasTableRow("[`" + command + "`](#")).as("in the table").isTrue();
        assertThat(examples.stream().flatMap(example -> example.requests().stream()))
                .as("in an example")
                .anyMatch(request -> request.command().equals(command));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ok",
                "acquired",
                "queued",
                "timeout",
                "nil",
                "error",
                "error_auth",
                "error_max_locks",
                "error_max_waiters",
                "error_limit_mismatch",
                "error_not_enqueued",
                "error_already_enqueued",
                "error_max_keys",
                "error_list_full",
                "error_draining",
                "sig"
            })
    void the_dflockd_page_lists_each_response_with_an_example(String word) {
        assertThat(hasTableRow("`" + word + "`") || hasTableRow("`" + word + " "))
                .as("in the table")
                .isTrue();
        assertThat(examples.stream().flatMap(example -> example.steps().stream()))
                .as("in an example")
                .anyMatch(
                        step ->
                                switch (step) {
                                    case Example.Step.See(_, _, var seen) -> begins(seen, word);
                                    case Example.Step.Run(_, _, var seen) ->
                                            seen.stream().anyMatch(line -> begins(line, word));
                                    default -> false;
                                });
    }

    private static boolean begins(String line, String word) {
        return line.equals(word) || line.startsWith(word + " ");
    }

    /** The protocol defines it, but Holdfast never sends it. */
    @Test
    void the_dflockd_page_mentions_the_response_that_is_never_sent() {
        assertThat(page.text()).contains("`error_lease_expired`");
    }

    @Test
    void the_dflockd_page_mentions_each_limit() throws IOException {
        List<String> flags =
                Files.readAllLines(Path.of("..", "README.md")).stream()
                        .flatMap(line -> LIMIT_FLAG.matcher(line).results())
                        .map((MatchResult found) -> found.group(1))
                        .toList();
        assertThat(flags).isNotEmpty();
        assertThat(page.text()).contains(flags.stream().map(flag -> "`" + flag + "`").toList());
    }

    @Test
    void the_dflockd_page_uses_nc_only_in_examples_that_are_run() {
        assertThat(examples).isNotEmpty();
        assertThat(page.blocks())
                .filteredOn(block -> !block.kind().equals("console"))
                .allSatisfy(
                        block ->
                                assertThat(block.lines())
                                        .noneMatch(line -> line.matches(".*\\bnc .*")));
    }

    /** A reader may begin with any example. */
    @Test
    void the_examples_of_the_dflockd_page_are_independent() {
        Map<String, Example> owners = new HashMap<>();
        for (Example example : examples) {
            if (example.hasOwnServer()) {
                continue;
            }
            for (Example.Request request : example.requests()) {
                if (!KEYLESS.contains(request.command())) {
                    Example first = owners.putIfAbsent(request.key(), example);
                    assertThat(first == null || first.equals(example))
                            .as("%s of %s is used before", request.key(), example.where())
                            .isTrue();
                }
            }
        }
    }
}
