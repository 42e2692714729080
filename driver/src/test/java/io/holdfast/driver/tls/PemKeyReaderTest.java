package io.holdfast.driver.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.util.Arrays;
import java.util.Base64;

@DisplayName("The reader of private keys")
class PemKeyReaderTest {
    /** Where PKCS#1 begins in the PKCS#8 form of an RSA key of 2048 bits. */
    private static final int PKCS1_OFFSET = 26;

    private static PrivateKey generated(String algorithm) throws GeneralSecurityException {
        return KeyPairGenerator.getInstance(algorithm).generateKeyPair().getPrivate();
    }

    private static String pem(String label, byte[] der) {
        return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
                .formatted(label, Base64.getMimeEncoder().encodeToString(der), label);
    }

    @ParameterizedTest
    @ValueSource(strings = {"RSA", "EC", "Ed25519"})
    void a_key_in_pkcs8_is_read_whatever_its_algorithm(String algorithm) throws Exception {
        PrivateKey key = generated(algorithm);
        assertThat(PemKeyReader.read(pem("PRIVATE KEY", key.getEncoded()))).isEqualTo(key);
    }

    @Test
    void an_rsa_key_in_pkcs1_is_read() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        PrivateKey key = generator.generateKeyPair().getPrivate();
        byte[] encoded = key.getEncoded();
        byte[] inner = Arrays.copyOfRange(encoded, PKCS1_OFFSET, encoded.length);
        assertThat(PemKeyReader.read(pem("RSA PRIVATE KEY", inner))).isEqualTo(key);
    }

    @Test
    void text_around_the_key_is_ignored() throws Exception {
        PrivateKey key = generated("EC");
        String text = pem("CERTIFICATE", new byte[9]) + pem("PRIVATE KEY", key.getEncoded());
        assertThat(PemKeyReader.read("of the server\n" + text + "the end")).isEqualTo(key);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "|no private key",
                "CERTIFICATE|no private key",
                "ENCRYPTED PRIVATE KEY|openssl pkcs8 -topk8 -nocrypt",
                "PRIVATE KEY|not an RSA, EC or EdDSA private key",
                "EC PRIVATE KEY|not a valid EC key"
            })
    void an_unusable_key_is_refused_with_the_reason(String labelAndReason) {
        String[] parts = labelAndReason.split("\\|");
        assertThatThrownBy(() -> PemKeyReader.read(pem(parts[0], new byte[3])))
                .isInstanceOf(GeneralSecurityException.class)
                .hasMessageContaining(parts[1]);
    }
}
