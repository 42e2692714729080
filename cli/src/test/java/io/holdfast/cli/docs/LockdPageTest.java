package io.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cli.serve.LockdCommand;
import io.holdfast.cli.serve.StandardStreams;
import io.holdfast.protocol.lockd.LockdVerb;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

@DisplayName("docs/lockd.md")
class LockdPageTest {
    private static final Pattern OPTION = Pattern.compile("(?m)^  (--[a-z-]+)");
    private static final Pattern LOCK_WORD = Pattern.compile("g|r|i|sg|sr|si|d|sd");

    private static Page page;
    private static List<Example> examples;

    @BeforeAll
    static void read() throws IOException {
        page = Page.read(Path.of("..", "docs", "lockd.md"));
        examples = page.examples();
    }

    private static boolean hasTableRow(String firstCell) {
        return page.lines().stream().anyMatch(line -> line.startsWith("| " + firstCell));
    }

    @ParameterizedTest
    @EnumSource
    void the_lockd_page_lists_each_command_with_an_example(LockdVerb word) {
        assertThat(
                        hasTableRow("[`" + word.text() + "`](#")
                                || hasTableRow("[`" + word.text() + " "))
                .as("in the table")
                .isTrue();
        assertThat(examples.stream().flatMap(example -> example.requests().stream()))
                .as("in an example")
                .anyMatch(request -> request.command().equals(word.text()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1 Lock Get Success: ",
                "0 Lock Get Failure: ",
                "1 Lock Release Success: ",
                "0 Lock Release Failure: ",
                "1 Lock Is Locked: ",
                "0 Lock Not Locked: ",
                "1 Shared Lock Get Success: ",
                "2 Shared Lock Get Success: ",
                "0 Shared Lock Get Failure: ",
                "1 Shared Lock Release Success: ",
                "0 Shared Lock Release Failure: ",
                "2 Shared Lock Is Locked: ",
                "0 Shared Lock Not Locked: ",
                "1 ok",
                "0 disabled",
                "map["
            })
    void the_lockd_page_lists_each_response_with_an_example(String response) {
        assertThat(page.text())
                .contains(
                        "`"
                                + response.replaceFirst(
                                        "^[12] Shared Lock (Get|Is)", "COUNT Shared Lock $1"));
        assertThat(examples.stream().flatMap(example -> example.steps().stream()))
                .as("in an example")
                .anyMatch(
                        step ->
                                switch (step) {
                                    case Example.Step.See(_, _, var seen) ->
                                            seen.startsWith(response);
                                    case Example.Step.Run(_, _, var seen) ->
                                            seen.stream()
                                                    .anyMatch(line -> line.startsWith(response));
                                    default -> false;
                                });
    }

    @Test
    void the_lockd_page_mentions_each_option() {
        String usage;
        try (StandardStreams streams = new StandardStreams()) {
            assertThat(LockdCommand.run(List.of("--help"), "")).isZero();
            usage = streams.out();
        }
        List<String> options =
                OPTION.matcher(usage).results().map((MatchResult found) -> found.group(1)).toList();
        assertThat(options).hasSizeGreaterThan(15).contains("--tcp", "--lockd-max-locks");
        assertThat(options).allSatisfy(option -> assertThat(page.text()).contains("`" + option));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "lockd://",
                "lockds://",
                "lockd+unix://",
                "lockd+ws://",
                "lockd+wss://",
                "allow-dump=",
                "enable-registry=",
                "namespace=",
                "mode="
            })
    void the_lockd_page_lists_each_url_scheme_and_parameter(String text) {
        assertThat(hasTableRow("`" + text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-port", "-ws", "-unix", "-pidfile", "-dump", "-registry", "-verbose"})
    void the_lockd_page_mentions_each_option_of_glockd(String option) {
        assertThat(page.text()).containsPattern("`" + option + "\\b");
    }

    @Test
    void the_lockd_page_shows_the_python_example_that_is_run() throws IOException {
        assertThat(page.blocks())
                .filteredOn(block -> block.kind().equals("python"))
                .singleElement()
                .satisfies(
                        block ->
                                assertThat(String.join("\n", block.lines()) + "\n")
                                        .isEqualTo(LockdPythonExampleIT.program()));
    }

    @Test
    void the_lockd_page_uses_nc_only_in_examples_that_are_run() {
        assertThat(page.blocks())
                .filteredOn(block -> !block.kind().equals("console"))
                .allSatisfy(
                        block ->
                                assertThat(block.lines())
                                        .noneMatch(line -> line.matches(".*\\bnc .*")));
    }

    /** A reader may begin with any example. */
    @Test
    void the_examples_of_the_lockd_page_are_independent() {
        for (Example example : examples) {
            if (example.hasOwnServer()) {
                continue;
            }
            for (Example.Request request : example.requests()) {
                if (LOCK_WORD.matcher(request.command()).matches()) {
                    assertThat(examples)
                            .filteredOn(other -> !other.hasOwnServer() && !other.equals(example))
                            .as("%s of %s is used elsewhere", request.key(), example.where())
                            .noneMatch(other -> other.requests().contains(request));
                }
            }
        }
    }
}
