package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.driver.frontend.FrontEnd;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.List;

@DisplayName("A server with a front end beside its listeners")
class FrontEndIT {
    /** A front end that is drained after a number of calls. */
    private static final class Counting implements FrontEnd {
        private final int drainsNeeded;
        private boolean opened;
        private int drains;
        private int closes;

        Counting(int drainsNeeded) {
            this.drainsNeeded = drainsNeeded;
        }

        @Override
        public void open() {
            opened = true;
        }

        @Override
        public void drain() {
            drains++;
        }

        @Override
        public boolean isDrained() {
            return drains >= drainsNeeded;
        }

        @Override
        public void close() {
            closes++;
            throw new IllegalStateException("close failed");
        }
    }

    @Test
    void the_server_opens_a_front_end_last_and_drains_it_until_it_is_done() throws Exception {
        Counting front = new Counting(4);
        HoldfastServer server = HoldfastServer.start(new TestConfig().build(), List.of(_ -> front));
        assertThat(front.opened).isTrue();
        server.drain();
        assertThat(front.drains).isGreaterThanOrEqualTo(4);
        assertThat(front.closes).isEqualTo(1);
        server.awaitEnd(); // although closing it failed
    }

    @Test
    void the_server_closes_started_front_ends_when_another_fails_to_start() {
        Counting front = new Counting(0);
        assertThatThrownBy(
                        () ->
                                HoldfastServer.start(
                                        new TestConfig().build(),
                                        List.of(
                                                _ -> front,
                                                _ -> {
                                                    throw new IllegalStateException("no");
                                                })))
                .hasMessage("no");
        assertThat(front.opened).isFalse();
        assertThat(front.closes).isEqualTo(1);
    }
}
