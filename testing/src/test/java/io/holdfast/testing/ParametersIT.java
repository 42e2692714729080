package io.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.client.Holdfast;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@DisplayName("Parameters of test methods")
@ExtendWith(HoldfastExtension.class)
class ParametersIT {
    @Test
    void test_methods_can_have_the_client_and_the_server_as_parameters(
            Holdfast client, EmbeddedHoldfast server) {
        assertThat(client).isSameAs(server.client());
        assertThat(server.isRunning()).isTrue();
        assertThat(client.counter("visits").increment()).isEqualTo(1);
    }
}
