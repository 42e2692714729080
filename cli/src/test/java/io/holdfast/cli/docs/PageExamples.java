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

/** As a reader would: from top to bottom, on one server but where an example starts its own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@NeedsProgram(OutsideProgram.NC)
abstract class PageExamples {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String page;
    private final List<String> serverWords;
    private ExampleServer server;

    /**
     * @param page its file name
     * @param serverWords how the server is started that most examples use
     */
    PageExamples(String page, List<String> serverWords) {
        this.page = page;
        this.serverWords = serverWords;
    }

    @BeforeAll
    void start() throws Exception {
        server = new ExampleServer(serverWords);
    }

    @AfterAll
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    @TestFactory
    Stream<DynamicTest> do_what_the_page_says() throws IOException {
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
            ExamplePlayer.play(example, PATIENCE);
        } else {
            ExamplePlayer.play(example, server, PATIENCE);
        }
    }
}
