package io.holdfast.cli.docs;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** The program that runs recipes and examples, and that a machine need not have. */
final class Python {
    private Python() {}

    /** Skips the test where there is no {@code python3} that is new enough. */
    static void assumeInstalled() throws IOException, InterruptedException {
        String question = "python3 -c 'import sys; print(sys.version_info >= (3, 10))'";
        List<String> answer;
        try (var terminal = new Terminal(question, Duration.ofSeconds(20))) {
            answer = terminal.end();
        }
        assumeTrue(
                answer != null && answer.equals(List.of("True")),
                "skipped: recipes and examples need a python3 of version 3.10 or newer");
    }
}
