package io.holdfast.cli.logging;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cli.serve.StandardStreams;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.function.Consumer;

@DisplayName("A log line")
class LineLoggerTest {
    private static final Logger OURS = LoggerFactory.getLogger(LineLoggerTest.class);
    private static final Logger LIBRARY = LoggerFactory.getLogger("io.netty.channel.Channel");

    @AfterEach
    void quiet() {
        LineLogger.setDebug(false);
    }

    private static String logged(Consumer<Logger> event) {
        return logged(OURS, event);
    }

    private static String logged(Logger logger, Consumer<Logger> event) {
        try (StandardStreams streams = new StandardStreams()) {
            event.accept(logger);
            assertThat(streams.out()).isEmpty();
            return streams.err();
        }
    }

    /** Returns the line without its time. */
    private static String rest(String line) {
        return line.strip().replaceFirst("^time=\\S+ ", "");
    }

    @Test
    void a_log_line_has_time_level_and_message() {
        String line = logged(log -> log.info("listening"));
        assertThat(line)
                .matches(
                        "time=\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}(Z|[+-]\\d\\d:\\d\\d)"
                            + " level=INFO msg=listening\\R");
        String time = line.substring("time=".length(), line.indexOf(' '));
        assertThat(Duration.between(OffsetDateTime.parse(time).toInstant(), Instant.now()).abs())
                .isLessThan(Duration.ofMinutes(1));
    }

    @Test
    void keys_and_values_follow_the_message() {
        assertThat(
                        rest(
                                logged(
                                        log ->
                                                log.atInfo()
                                                        .addKeyValue("addr", "127.0.0.1:6388")
                                                        .addKeyValue("conn", 7)
                                                        .addKeyValue("text", "two words")
                                                        .log("listening"))))
                .isEqualTo(
                        "level=INFO msg=listening addr=127.0.0.1:6388 conn=7 text=\"two words\"");
    }

    @Test
    void arguments_are_inserted_into_the_message() {
        assertThat(rest(logged(log -> log.warn("{} of {}", 1, "two"))))
                .isEqualTo("level=WARN msg=\"1 of two\"");
        assertThat(rest(logged(log -> log.atWarn().log("{} of {}", 1, "two"))))
                .isEqualTo("level=WARN msg=\"1 of two\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0000',
            value = {
                "plain|plain",
                "127.0.0.1:6388|127.0.0.1:6388",
                "[::1]:6388|[::1]:6388",
                "C:\\x|C:\\x",
                "two words|\"two words\"",
                "a=b|\"a=b\"",
                "say \"hi\"|\"say \\\"hi\\\"\"",
                "\"|\"\\\"\"",
                "caf\u00e9|\"caf\u00e9\""
            })
    void values_are_quoted_where_necessary(String value, String shown) {
        assertThat(rest(logged(log -> log.atInfo().addKeyValue("v", value).log("m"))))
                .isEqualTo("level=INFO msg=m v=" + shown);
    }

    @Test
    void an_empty_value_is_quoted() {
        assertThat(rest(logged(log -> log.atInfo().addKeyValue("v", "").log("m"))))
                .isEqualTo("level=INFO msg=m v=\"\"");
    }

    @Test
    void line_breaks_in_a_value_are_escaped() {
        String nasty = "a\nlevel=ERROR msg=forged\r\tb\u0000\u001b[31m\u007f\u0085";
        String line = logged(log -> log.atInfo().addKeyValue("v", nasty).log(nasty));
        assertThat(line.lines()).hasSize(1);
        assertThat(rest(line))
                .contains(
                        "msg=\"a\\n"
                                + "level=ERROR msg=forged\\r"
                                + "\\tb\\u0000\\u001b[31m\\u007f\\u0085\"");
        assertThat(line.strip().chars()).noneMatch(Character::isISOControl);
    }

    @Test
    void an_exception_is_logged_with_its_cause() {
        var cause = new IOException("No space left on device");
        assertThat(rest(logged(log -> log.error("failed", cause))))
                .isEqualTo("level=ERROR msg=failed error=\"no space left on device\"");
        assertThat(rest(logged(log -> log.atError().setCause(cause).log("failed"))))
                .isEqualTo("level=ERROR msg=failed error=\"no space left on device\"");
    }

    @Nested
    @DisplayName("at debug level")
    class Debugging {
        @Test
        void debug_lines_are_off_by_default() {
            assertThat(logged(log -> log.debug("m"))).isEmpty();
            assertThat(logged(log -> log.atDebug().log("m"))).isEmpty();
            assertThat(OURS.isDebugEnabled()).isFalse();
        }

        @Test
        void debug_lines_can_be_turned_on() {
            LineLogger.setDebug(true);
            assertThat(rest(logged(log -> log.debug("m")))).isEqualTo("level=DEBUG msg=m");
            assertThat(rest(logged(log -> log.atDebug().log("m")))).isEqualTo("level=DEBUG msg=m");
            assertThat(logged(log -> log.trace("m"))).isEmpty();
        }

        @Test
        void a_debug_line_shows_where_an_exception_was_thrown() {
            LineLogger.setDebug(true);
            assertThat(
                            logged(
                                    log ->
                                            log.error(
                                                    "failed",
                                                    new IOException("No space left on device"))))
                    .contains(" at=")
                    .contains("LineLoggerTest");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void libraries_log_errors_only(boolean debug) {
        LineLogger.setDebug(debug);
        assertThat(logged(LIBRARY, log -> log.debug("m"))).isEmpty();
        assertThat(logged(LIBRARY, log -> log.info("m"))).isEmpty();
        assertThat(logged(LIBRARY, log -> log.warn("m"))).isEmpty();
        assertThat(rest(logged(LIBRARY, log -> log.error("m")))).isEqualTo("level=ERROR msg=m");
    }
}
