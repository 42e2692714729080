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
    void are_the_client_and_the_server(Holdfast client, EmbeddedHoldfast server) {
        assertThat(client).isSameAs(server.client());
        assertThat(server.isRunning()).isTrue();
        assertThat(client.counter("visits").increment()).isEqualTo(1);
    }
}
