package io.holdfast.client.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.client.internal.service.ServiceException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The response to hello")
class HelloResponseTest {
    private static ServiceException.Kind failure(String response) {
        return catchThrowableOfType(
                        ServiceException.class,
                        () -> HelloResponse.isTaggedOrPlain(response, "server:1"))
                .kind();
    }

    @Test
    void a_hello_response_distinguishes_tagged_from_plain_servers() throws Exception {
        assertThat(HelloResponse.isTaggedOrPlain("ok 1 session=1 secret=x", "server:1")).isTrue();
        assertThat(HelloResponse.isTaggedOrPlain("error", "server:1")).isFalse();
    }

    @Test
    void a_draining_server_is_not_mistaken_for_a_plain_one() {
        assertThat(failure("error_draining")).isEqualTo(ServiceException.Kind.UNREACHABLE);
    }

    @Test
    void an_auth_error_is_an_authentication_failure() {
        assertThat(failure("error_auth")).isEqualTo(ServiceException.Kind.AUTHENTICATION);
    }
}
