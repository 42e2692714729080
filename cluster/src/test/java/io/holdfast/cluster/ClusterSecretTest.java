package io.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

@DisplayName("The secret of a cluster")
class ClusterSecretTest {
    private static final byte[] NONCE = new byte[32];

    private final ClusterSecret secret = secret("0123456789abcdef");

    private static ClusterSecret secret(String text) {
        return new ClusterSecret(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void it_is_proven_for_one_nonce_and_one_cluster() {
        byte[] proof = secret.proof(NONCE, "ours");
        assertThat(secret.proves(proof, NONCE, "ours")).isTrue();
        assertThat(secret.proves(proof, NONCE, "theirs")).isFalse();
        assertThat(secret.proves(proof, new byte[31], "ours")).isFalse();
        assertThat(secret("0123456789abcdeg").proves(proof, NONCE, "ours")).isFalse();
        assertThat(secret.proves(new byte[0], NONCE, "ours")).isFalse();
    }

    /**
     * The value is that of another implementation of HMAC-SHA256: the proof is part of a protocol.
     */
    @Test
    void the_proof_does_not_change() {
        assertThat(HexFormat.of().formatHex(secret.proof(NONCE, "ours")))
                .isEqualTo("55963b1f10d12ecf99405cee5d1443050f141550507cc32387428d06e7f3bbbc");
    }

    @Test
    void it_is_not_printed() {
        assertThat(secret).hasToString("***");
    }

    @Test
    void one_that_is_short_enough_to_be_tried_out_is_refused() {
        assertThatThrownBy(() -> secret("0123456789abcde")).hasMessageContaining("at least 16");
    }
}
