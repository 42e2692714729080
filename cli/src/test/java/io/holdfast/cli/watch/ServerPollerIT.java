package io.holdfast.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

@DisplayName("A poller")
class ServerPollerIT {
    @Test
    void an_unexpected_exception_is_reported_and_polling_continues()
            throws IOException, InterruptedException {
        AtomicInteger tokenReads = new AtomicInteger();
        Supplier<String> token =
                () -> {
                    if (tokenReads.getAndIncrement() == 0) {
                        throw new IllegalStateException("odd");
                    }
                    return "secret";
                };
        BlockingQueue<Object> results = new LinkedBlockingQueue<>();
        try (FakeApi api =
                        new FakeApi()
                                .put("/v1/keys", TopCommandIT.KEYS)
                                .put("/v1/waits", TopCommandIT.WAITS);
                HttpReader server =
                        new HttpReader(
                                URI.create(api.url()), Optional.of(token), Optional.empty())) {
            TopQuery topQuery = new TopQuery(TopView.KEYS, 0, false, "", 0, 20);
            ServerPoller.start(server, topQuery, Duration.ofMillis(10), results::add, results::add);
            assertThat(results.poll(60, TimeUnit.SECONDS))
                    .isInstanceOfSatisfying(
                            ReadException.class, e -> assertThat(e).hasMessageContaining("odd"));
            assertThat(results.poll(60, TimeUnit.SECONDS)).isInstanceOf(TopSample.class);
        }
    }
}
