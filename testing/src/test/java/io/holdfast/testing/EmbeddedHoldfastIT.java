package io.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.client.AuthenticationException;
import io.holdfast.client.Hold;
import io.holdfast.client.Holdfast;
import io.holdfast.client.LossReason;
import io.holdfast.client.ServerUnreachableException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;

@DisplayName("An embedded server")
class EmbeddedHoldfastIT {
    @Test
    void wants_its_token_from_those_who_come_by_themselves() {
        try (EmbeddedHoldfast server = EmbeddedHoldfast.builder().authToken("sesame").start()) {
            assertThat(server.client().lock("a").tryAcquire()).isPresent();
            assertThatThrownBy(() -> Holdfast.connect(server.address()))
                    .isInstanceOf(AuthenticationException.class);
        }
    }

    @Test
    void says_so_if_it_wants_no_token() {
        try (EmbeddedHoldfast server = EmbeddedHoldfast.start()) {
            assertThatThrownBy(() -> server.clientBuilder().authToken("sesame").connect())
                    .isInstanceOf(AuthenticationException.class)
                    .hasMessageContaining(server.address())
                    .hasMessageContaining("has no authentication")
                    .hasMessageNotContaining("sesame");
        }
    }

    @Test
    void gives_the_lease_it_was_told() throws InterruptedException {
        Duration lease = Duration.ofSeconds(7);
        try (EmbeddedHoldfast server = EmbeddedHoldfast.builder().defaultLease(lease).start();
                Hold hold = server.client().lock("a").acquire()) {
            assertThat(hold.lease()).isEqualTo(lease);
        }
    }

    @Test
    void forgets_everything_in_a_restart_and_its_clients_find_it_again()
            throws InterruptedException {
        try (EmbeddedHoldfast server = EmbeddedHoldfast.start();
                Hold hold = server.client().lock("a").acquire()) {
            server.restart();
            await().untilAsserted(
                            () ->
                                    assertThat(hold.lossReason())
                                            .contains(LossReason.CONNECTION_LOST));
            try (Hold again = server.client().lock("a").acquire(Duration.ofSeconds(30))) {
                assertThat(again.fence().orElseThrow()).isGreaterThan(hold.fence().orElseThrow());
            }
        }
    }

    @Test
    void leaves_no_two_who_believe_to_hold_when_it_was_restarted() throws InterruptedException {
        try (EmbeddedHoldfast server = EmbeddedHoldfast.start();
                Hold before = server.client().lock("a").acquire()) {
            server.restart();
            try (Holdfast other = server.clientBuilder().connect()) {
                Hold after = other.lock("a").tryAcquire().orElseThrow(); // the server is new
                assertThat(after.isHeld() && before.isHeld()).isFalse();
                after.close();
            }
        }
    }

    @Test
    void is_gone_when_it_is_stopped() {
        try (EmbeddedHoldfast server = EmbeddedHoldfast.start()) {
            server.stop();
            assertThat(server.isRunning()).isFalse();
            assertThatThrownBy(() -> Holdfast.connect(server.address()))
                    .isInstanceOf(ServerUnreachableException.class);
        }
    }
}
