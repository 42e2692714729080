package io.holdfast.driver.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;

@DisplayName("A certificate and a key")
class TlsManagersTest {
    private static final class NoKey implements PrivateKey {
        private static final long serialVersionUID = 1L;

        @Override
        public String getAlgorithm() {
            return "EC";
        }

        @Override
        public @Nullable String getFormat() {
            return null;
        }

        @Override
        public byte @Nullable [] getEncoded() {
            return null;
        }
    }

    private static X509Certificate certificate() throws GeneralSecurityException {
        byte[] pem = TestCertificates.FIRST.getBytes(StandardCharsets.US_ASCII);
        return (X509Certificate)
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(pem));
    }

    @ParameterizedTest
    @ValueSource(strings = {"RSA", "EC", "Ed25519"})
    void do_not_belong_together_if_the_key_is_another(String algorithm) throws Exception {
        PrivateKey other = KeyPairGenerator.getInstance(algorithm).generateKeyPair().getPrivate();
        assertThat(TlsManagers.belongTogether(certificate(), other)).isFalse();
    }

    @Test
    void are_not_compared_if_the_key_cannot_sign() throws Exception {
        X509Certificate certificate = certificate();
        assertThatThrownBy(() -> TlsManagers.belongTogether(certificate, new NoKey()))
                .isInstanceOf(InvalidKeyException.class);
    }
}
