package io.holdfast.client.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.client.service.ServiceException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The answer to hello")
class HelloResponseTest {
    private static ServiceException.Kind failure(String answer) {
        return catchThrowableOfType(
                        ServiceException.class,
                        () -> HelloResponse.isTaggedOrPlain(answer, "server:1"))
                .kind();
    }

    @Test
    void tells_a_server_with_tags_from_a_plain_one() throws Exception {
        assertThat(HelloResponse.isTaggedOrPlain("ok 1 session=1 secret=x", "server:1")).isTrue();
        assertThat(HelloResponse.isTaggedOrPlain("error", "server:1")).isFalse();
    }

    @Test
    void is_not_taken_for_that_of_a_plain_server_while_the_server_drains() {
        assertThat(failure("error_draining")).isEqualTo(ServiceException.Kind.UNREACHABLE);
    }

    @Test
    void says_that_a_token_is_wanted() {
        assertThat(failure("error_auth")).isEqualTo(ServiceException.Kind.AUTHENTICATION);
    }
}
