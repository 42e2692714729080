package io.holdfast.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;
import org.slf4j.event.LoggingEvent;
import org.slf4j.spi.DefaultLoggingEventBuilder;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

final class LogThrottleTest {
    private long nowNanos =
            Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(7); // overflows during the test
    private final LogThrottle throttle = new LogThrottle(() -> nowNanos);
    private final List<String> logged = new ArrayList<>();

    /** A log event that is added to the list, with its values. */
    private final class Line extends DefaultLoggingEventBuilder {
        Line() {
            super(LoggerFactory.getLogger(LogThrottleTest.class), Level.WARN);
        }

        @Override
        protected void log(LoggingEvent event) {
            List<KeyValuePair> values = event.getKeyValuePairs();
            logged.add(event.getMessage() + (values == null ? "" : " " + values));
        }
    }

    private void log(String message) {
        throttle.next(new Line()).log(message);
    }

    private void pass(long millis) {
        nowNanos += TimeUnit.MILLISECONDS.toNanos(millis);
    }

    @Test
    void one_message_per_five_seconds_is_logged_with_the_number_of_suppressed_ones() {
        log("first");
        for (int i = 0; i < 1000; i++) {
            log("flood");
        }
        pass(4_999);
        log("not yet");
        pass(1);
        log("second");
        pass(4_999);
        assertThat(logged).containsExactly("first", "second [suppressed=\"1001\"]");

        pass(1);
        log("third");
        assertThat(logged).hasSize(3).last().isEqualTo("third");
    }

    @Test
    void a_message_is_logged_after_any_time_without_messages() {
        log("first");
        pass(TimeUnit.DAYS.toMillis(400));
        log("second");
        assertThat(logged).containsExactly("first", "second");
    }
}
