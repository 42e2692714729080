package io.holdfast.driver.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;

@DisplayName("The reader of PEM files")
class PemFilesTest {
    @TempDir Path folder;

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("some.pem"), text);
    }

    private static List<String> names(List<X509Certificate> certificates) {
        return certificates.stream()
                .map(certificate -> certificate.getSubjectX500Principal().getName())
                .toList();
    }

    @Test
    void certificates_are_read_in_their_order_and_a_key_wherever_it_is() throws Exception {
        PrivateKey key = KeyPairGenerator.getInstance("EC").generateKeyPair().getPrivate();
        String base64 = Base64.getMimeEncoder().encodeToString(key.getEncoded());
        Path file =
                file(
                        "the server:\n"
                                + TestCertificates.SECOND
                                + "-----BEGIN PRIVATE KEY-----\n"
                                + base64
                                + "\n-----END PRIVATE KEY-----\n"
                                + "who signed it, in Zürich:\n"
                                + TestCertificates.FIRST
                                + "the end");
        assertThat(names(PemFiles.certificates(file))).containsExactly("CN=second", "CN=first");
        assertThat(PemFiles.privateKey(file)).isEqualTo(key);
    }

    @ParameterizedTest
    @ValueSource(strings = {"X509 CERTIFICATE", "TRUSTED CERTIFICATE"})
    void older_labels_of_certificates_are_accepted(String label) throws Exception {
        Path file = file(TestCertificates.FIRST.replace("CERTIFICATE", label));
        assertThat(names(PemFiles.certificates(file))).containsExactly("CN=first");
    }

    @Test
    void a_request_for_a_certificate_is_not_taken_for_one() throws Exception {
        Path file = file(TestCertificates.FIRST.replace("CERTIFICATE", "CERTIFICATE REQUEST"));
        assertThatThrownBy(() -> PemFiles.certificates(file))
                .isInstanceOf(GeneralSecurityException.class)
                .hasMessage("no certificate in it");
    }

    @Test
    void a_certificate_in_der_is_refused() throws Exception {
        byte[] der = PemFiles.certificates(file(TestCertificates.FIRST)).getFirst().getEncoded();
        Path file = Files.write(folder.resolve("some.der"), der);
        assertThatThrownBy(() -> PemFiles.certificates(file))
                .isInstanceOf(GeneralSecurityException.class)
                .hasMessage("no certificate in it");
    }

    @Test
    void a_damaged_certificate_is_refused_even_after_a_good_one() throws Exception {
        String damaged = TestCertificates.SECOND.replaceFirst("MII", "AII");
        Path file = file(TestCertificates.FIRST + damaged);
        assertThatThrownBy(() -> PemFiles.certificates(file))
                .isInstanceOf(CertificateException.class);
    }
}
