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
import java.security.interfaces.ECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;

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

    private static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits);
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
    void an_ec_key_in_sec_1_is_read() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        var key = (ECPrivateKey) generator.generateKeyPair().getPrivate();
        String number = "%064x".formatted(key.getS());
        byte[] sec1 = hex("3031" + "020101" + "0420" + number + "a00a06082a8648ce3d030107");
        assertThat(PemKeyReader.read(pem("EC PRIVATE KEY", sec1)))
                .isInstanceOfSatisfying(
                        ECPrivateKey.class,
                        read -> {
                            assertThat(read.getS()).isEqualTo(key.getS());
                            assertThat(read.getParams().getOrder())
                                    .isEqualTo(key.getParams().getOrder());
                        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "30810000", // no room for a version
                "300602010104840000ff00", // a number longer than the key
                "300b0201010400a084ffffff00", // a curve of a negative length
                "300b0201010400a0847ffffff0", // a curve of almost 2 GiB
            })
    void an_ec_key_with_wrong_lengths_is_refused(String der) {
        String pem = pem("EC PRIVATE KEY", hex(der));
        assertThatThrownBy(() -> PemKeyReader.read(pem))
                .isInstanceOf(GeneralSecurityException.class)
                .hasMessage("not a valid EC key");
    }

    @Test
    void an_ec_key_without_a_curve_is_refused() {
        String pem = pem("EC PRIVATE KEY", hex("30070201010400a100"));
        assertThatThrownBy(() -> PemKeyReader.read(pem))
                .isInstanceOf(GeneralSecurityException.class)
                .hasMessage("EC key without named curve");
    }

    @ParameterizedTest
    @ValueSource(strings = {"RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY"})
    void a_key_that_was_encrypted_in_the_older_way_is_refused_as_encrypted(String label) {
        String headers = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0123456789ABCDEF\n\n";
        String pem = pem(label, new byte[48]).replaceFirst("\n", "\n" + headers);
        assertThatThrownBy(() -> PemKeyReader.read(pem))
                .isInstanceOf(GeneralSecurityException.class)
                .hasMessageContaining("encrypted keys are not supported")
                .hasMessageContaining("openssl pkcs8 -topk8 -nocrypt");
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
                "ENCRYPTED PRIVATE KEY|openssl pkcs8 -topk8 -nocrypt decrypts it",
                "DSA PRIVATE KEY|openssl pkcs8 -topk8 -nocrypt writes it",
                "OPENSSH PRIVATE KEY|the form OPENSSH PRIVATE KEY is not supported",
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
