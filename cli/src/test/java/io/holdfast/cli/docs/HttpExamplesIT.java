package io.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.holdfast.testsupport.NeedsProgram;
import io.holdfast.testsupport.OutsideProgram;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs the first example once, and then each of the others independently. */
@DisplayName("The examples of docs/http.md")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@NeedsProgram(OutsideProgram.CURL)
class HttpExamplesIT {
    private static final Path EXAMPLES = Path.of("..", "examples");
    private static final String FIRST = "The examples";

    /** The values that differ between runs, with their patterns. */
    private static final List<Changing> CHANGING =
            List.of(
                    new Changing("(?<=\")[0-9a-f]{32}(?=\")", "[0-9a-f]{32}"),
                    new Changing("\\b17[0-9]{17}\\b", "[0-9]{19}"),
                    new Changing("[0-9]{4}-[0-9]{2}-[0-9T:.-]+Z", "[0-9]{4}-[0-9T:.-]+Z"),
                    new Changing("(?<=_s\":)[0-9]+\\.[0-9]+", "[0-9]+(\\.[0-9]+)?"),
                    new Changing("(?<=\"remaining_s\":)[0-9]+", "[0-9]+"),
                    new Changing("(?<=\"connection\":)[0-9]+", "[0-9]+"),
                    new Changing("(?<=\"127.0.0.1:)[0-9]+", "[0-9]+"));

    private record Changing(String shown, String real) {}

    private Page page;
    private ExampleServer server;
    private ShellExamples shell;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        page = Page.read(Path.of("..", "docs", "http.md"));
        server = new ExampleServer(List.of("serve", "--listen", "http://127.0.0.1:6389"));
        Path scripts = Files.createDirectory(folder.resolve("examples"));
        Files.copy(EXAMPLES.resolve("with-lease.sh"), scripts.resolve("with-lease.sh"));
        String first =
                examples(page)
                        .filter(block -> block.heading().equals(FIRST))
                        .flatMap(block -> block.lines().stream())
                        .filter(line -> line.matches("\\$ (\\w+=|\\w+\\(\\)).*"))
                        .map(line -> here(line.substring(2)))
                        .collect(Collectors.joining("\n"));
        shell =
                ShellExamples.in(
                        folder, first + "\nexport HOLDFAST_HTTP=$HF; unset http_proxy all_proxy");
    }

    @AfterAll
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    private static Stream<Page.Block> examples(Page page) {
        return page.blocks().stream().filter(block -> block.kind().equals("console"));
    }

    private String here(String line) {
        return line.replace(
                "127.0.0.1:" + ExampleServer.HTTP_PORT, "127.0.0.1:" + server.httpPort());
    }

    @TestFactory
    Stream<DynamicTest> the_examples_of_the_http_page_match_the_server() {
        List<Page.Block> blocks = examples(page).toList();
        assertThat(blocks).hasSizeGreaterThan(10);
        return blocks.stream().map(block -> play(page, block));
    }

    @TestFactory
    Stream<DynamicTest> the_scripts_do_what_their_page_shows() throws IOException {
        Page scripts = Page.read(EXAMPLES.resolve("README.md"));
        List<Page.Block> blocks =
                examples(scripts)
                        .filter(block -> block.lines().getFirst().startsWith("$ sh examples/"))
                        .toList();
        assertThat(blocks).isNotEmpty();
        return blocks.stream().map(block -> play(scripts, block));
    }

    private DynamicTest play(Page on, Page.Block block) {
        var real =
                new Page.Block(
                        block.kind(),
                        block.heading(),
                        block.line(),
                        block.lines().stream().map(this::here).toList());
        return dynamicTest(
                block.heading() + ", " + on.name() + ":" + block.line(),
                () -> shell.play(real, UnaryOperator.identity(), HttpExamplesIT::pattern));
    }

    private static String pattern(String shown) {
        Pattern any =
                Pattern.compile(
                        CHANGING.stream()
                                .map(changing -> "(" + changing.shown() + ")")
                                .collect(Collectors.joining("|")));
        StringBuilder pattern = new StringBuilder();
        int at = 0;
        for (MatchResult found : any.matcher(shown).results().toList()) {
            pattern.append(Pattern.quote(shown.substring(at, found.start())));
            for (int i = 0; i < CHANGING.size(); i++) {
                if (found.group(i + 1) != null) {
                    pattern.append(CHANGING.get(i).real());
                }
            }
            at = found.end();
        }
        return pattern.append(Pattern.quote(shown.substring(at))).toString();
    }
}
