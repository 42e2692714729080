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
    void a_client_without_the_token_is_rejected() {
        try (EmbeddedHoldfast server = EmbeddedHoldfast.builder().authToken("sesame").start()) {
            assertThat(server.client().lock("a").tryAcquire()).isPresent();
            assertThatThrownBy(() -> Holdfast.connect(server.address()))
                    .isInstanceOf(AuthenticationException.class);
        }
    }

    @Test
    void a_client_with_a_token_is_rejected_by_a_server_without_authentication() {
        try (EmbeddedHoldfast server = EmbeddedHoldfast.start()) {
            assertThatThrownBy(() -> server.clientBuilder().authToken("sesame").connect())
                    .isInstanceOf(AuthenticationException.class)
                    .hasMessageContaining(server.address())
                    .hasMessageContaining("has no authentication")
                    .hasMessageNotContaining("sesame");
        }
    }

    @Test
    void the_default_lease_of_the_server_can_be_set() throws InterruptedException {
        Duration lease = Duration.ofSeconds(7);
        try (EmbeddedHoldfast server = EmbeddedHoldfast.builder().defaultLease(lease).start();
                Hold hold = server.client().lock("a").acquire()) {
            assertThat(hold.lease()).isEqualTo(lease);
        }
    }

    @Test
    void a_restart_loses_all_holds_and_clients_reconnect() throws InterruptedException {
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
    void a_hold_of_before_a_restart_is_not_valid_beside_a_new_one() throws InterruptedException {
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
    void a_stopped_server_is_unreachable() {
        try (EmbeddedHoldfast server = EmbeddedHoldfast.start()) {
            server.stop();
            assertThat(server.isRunning()).isFalse();
            assertThatThrownBy(() -> Holdfast.connect(server.address()))
                    .isInstanceOf(ServerUnreachableException.class);
        }
    }
}
