package io.holdfast.cli.docs;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** The program that the examples use, and that a machine need not have. */
final class Netcat {
    private Netcat() {}

    /** Skips the test where there is no {@code nc} with the option that the examples use. */
    static void assumeInstalled() throws IOException, InterruptedException {
        List<String> help;
        try (var terminal = new Terminal("nc -h", Duration.ofSeconds(10))) {
            help = terminal.end();
        }
        assumeTrue(
                help != null && help.stream().anyMatch(line -> line.matches("\\s*-N\\s.*hut.*")),
                "skipped: the examples need an nc that knows -N, as netcat-openbsd does");
    }
}
