package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

@DisplayName("The end of draining")
class DrainEndIT {
    private TestServer server;
    private TestClient holder;
    private String token;

    private void start(Duration shutdownTimeout) {
        server = TestServer.start(new TestConfig().shutdownTimeout(shutdownTimeout));
        holder = server.connect();
        token = holder.acquire("held");
    }

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void draining_ends_for_a_holder_when_its_lease_ends() {
        start(Duration.ofSeconds(30));
        TestClient brief = server.connect();
        brief.acquire("brief", 1);
        server.drain();
        assertThat(brief.rest()).isEmpty();
        holder.assertServed();
    }

    @Test
    void draining_ends_at_the_shutdown_timeout_for_all_that_are_left() throws Exception {
        start(Duration.ofMillis(1500));
        CompletableFuture<Void> drained = server.drain();
        holder.assertServed();
        assertThat(holder.rest()).isEmpty();
        drained.get(60, TimeUnit.SECONDS);
    }

    @Test
    void draining_without_a_timeout_ends_when_the_last_holder_is_done() throws Exception {
        start(Duration.ZERO);
        CompletableFuture<Void> drained = server.drain();
        holder.assertServed();
        assertThat(drained).isNotDone();
        assertThat(holder.request("r", "held", token)).isEqualTo("ok");
        drained.get(60, TimeUnit.SECONDS); // though no client has closed its side
    }
}
