package io.holdfast.verification.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A grant, as the soak test reads it")
class SoakGrantTest {
    private static final String TOKEN = "f123456789abcdef0123456789abcdef";

    @Test
    void a_grant_has_the_token_and_its_first_half_as_an_unsigned_fence()
            throws CheckFailedException {
        var soakGrant = SoakGrant.parse("ok " + TOKEN + " 10", "ok", "l k", 10);
        assertThat(soakGrant.token()).isEqualTo(TOKEN);
        assertThat(Long.toHexString(soakGrant.fence())).isEqualTo("f123456789abcdef");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "timeout",
                "error_max_locks",
                "ok",
                "ok " + TOKEN,
                "ok " + TOKEN + " 9",
                "ok " + TOKEN + " 10 more",
                "ok  " + TOKEN + " 10",
                "ok F123456789abcdef0123456789abcdef 10",
                "ok f123456789abcdef 10",
                "acquired " + TOKEN + " 10"
            })
    void a_response_other_than_word_token_and_lease_is_rejected(String response) {
        assertThatThrownBy(() -> SoakGrant.parse(response, "ok", "l k", 10))
                .isInstanceOf(CheckFailedException.class)
                .hasMessageStartingWith("l k: ");
    }
}
