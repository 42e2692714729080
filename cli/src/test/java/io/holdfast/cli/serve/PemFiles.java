package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A self-signed certificate and its key, made by the JDK's keytool. */
record PemFiles(Path certificate, Path key, SSLContext trusting) {
    private static final String PASSWORD = "changeit";

    static PemFiles create(Path folder)
            throws IOException, InterruptedException, GeneralSecurityException {
        Path store = folder.resolve("identity.p12");
        Process keytool =
                new ProcessBuilder(
                                List.of(
                                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                                .toString(),
                                        "-genkeypair",
                                        "-keyalg",
                                        "EC",
                                        "-alias",
                                        "server",
                                        "-dname",
                                        "CN=localhost",
                                        "-ext",
                                        "san=ip:127.0.0.1",
                                        "-validity",
                                        "2",
                                        "-storepass",
                                        PASSWORD,
                                        "-keystore",
                                        store.toString()))
                        .redirectErrorStream(true)
                        .start();
        String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as(output).isZero();

        KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
        Path certificate = folder.resolve("cert.pem");
        Path key = folder.resolve("key.pem");
        write(certificate, "CERTIFICATE", keys.getCertificate("server").getEncoded());
        write(key, "PRIVATE KEY", keys.getKey("server", PASSWORD.toCharArray()).getEncoded());

        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("server", keys.getCertificate("server"));
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext trusting = SSLContext.getInstance("TLS");
        trusting.init(null, trust.getTrustManagers(), null);
        return new PemFiles(certificate, key, trusting);
    }

    private static void write(Path file, String label, byte[] content) throws IOException {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(
                file,
                "-----BEGIN " + label + "-----\n" + base64 + "\n-----END " + label + "-----\n");
    }
}
