package io.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.holdfast.testsupport.NeedsProgram;
import io.holdfast.testsupport.OutsideProgram;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs the examples of a page from top to bottom, on one server unless an example starts its own.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@NeedsProgram(OutsideProgram.NC)
abstract class PageExamples {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final String page;
    private final List<String> serverArgs;
    private ExampleServer server;

    /**
     * @param page file name of the page
     * @param serverArgs command and flags of the server of most examples
     */
    PageExamples(String page, List<String> serverArgs) {
        this.page = page;
        this.serverArgs = serverArgs;
    }

    @BeforeAll
    void start() throws Exception {
        server = new ExampleServer(serverArgs);
    }

    @AfterAll
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    @TestFactory
    Stream<DynamicTest> the_examples_of_the_page_match_the_server() throws IOException {
        List<Example> examples = Page.read(Path.of("..", "docs", page)).examples();
        assertThat(examples).isNotEmpty();
        return examples.stream()
                .map(
                        example ->
                                dynamicTest(
                                        example.heading() + ", " + example.where(),
                                        () -> play(example)));
    }

    private void play(Example example) throws IOException, InterruptedException {
        if (example.hasOwnServer()) {
            ExamplePlayer.play(example, TIMEOUT);
        } else {
            ExamplePlayer.play(example, server, TIMEOUT);
        }
    }
}
