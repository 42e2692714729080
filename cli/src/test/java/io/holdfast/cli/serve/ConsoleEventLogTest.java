package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;

@DisplayName("The log of events")
class ConsoleEventLogTest {
    private static final int MORE_THAN_WAIT = 10_050;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private String printed() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void events_are_printed_as_lines_in_order() {
        ConsoleEventLog log =
                ConsoleEventLog.start(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        log.accept("127.0.0.1:1 connected");
        log.accept("127.0.0.1:1 obtained lock for é🔒");
        await().until(() -> printed().lines().count() == 2);
        assertThat(printed().lines())
                .containsExactly("127.0.0.1:1 connected", "127.0.0.1:1 obtained lock for é🔒");
    }

    /** Lines contain text from clients, which must not forge lines or control the terminal. */
    @ParameterizedTest
    @CsvSource({
        "'x\nunix:1 connected','x\\u000aunix:1 connected'",
        "'x\r','x\\u000d'",
        "'\u001b[2J','\\u001b[2J'",
        "'a\tb','a\\u0009b'",
        "'\u0085\u009b','\\u0085\\u009b'",
        "'plain é 锁 🔒','plain é 锁 🔒'"
    })
    void control_characters_are_escaped(String line, String shown) {
        assertThat(ConsoleEventLog.printable(line)).isEqualTo(shown);
    }

    @Test
    void a_blocked_output_drops_lines_and_reports_their_number() throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        OutputStream slow =
                new OutputStream() {
                    @Override
                    public void write(int b) {
                        write(new byte[] {(byte) b}, 0, 1);
                    }

                    @Override
                    public void write(byte[] some, int from, int count) {
                        stuck.countDown();
                        try {
                            goOn.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                        bytes.write(some, from, count);
                    }
                };
        ConsoleEventLog log =
                ConsoleEventLog.start(new PrintStream(slow, true, StandardCharsets.UTF_8));
        log.accept("first");
        stuck.await();
        for (int i = 0; i < MORE_THAN_WAIT; i++) {
            log.accept("event " + i);
        }
        goOn.countDown();
        await().until(() -> printed().contains("event 9999\n"));
        assertThat(printed())
                .startsWith("first\n(50 lines missed)\nevent 0\nevent 1\n")
                .doesNotContain("event 10000");
    }
}
