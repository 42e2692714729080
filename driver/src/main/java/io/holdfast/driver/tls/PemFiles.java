package io.holdfast.driver.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads PEM files. What a file contains besides the wanted blocks is ignored. */
public final class PemFiles {
    private static final Pattern CERTIFICATE =
            Pattern.compile(
                    "-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE)-----.*?-----END \\1-----",
                    Pattern.DOTALL);

    private PemFiles() {}

    /**
     * Returns all certificates in the file, in their order.
     *
     * @throws GeneralSecurityException if there is none, or a damaged one
     */
    public static List<X509Certificate> certificates(Path file)
            throws IOException, GeneralSecurityException {
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        Matcher block = CERTIFICATE.matcher(text(file));
        List<X509Certificate> found = new ArrayList<>();
        while (block.find()) {
            byte[] pem = block.group().getBytes(StandardCharsets.ISO_8859_1);
            found.add((X509Certificate) factory.generateCertificate(new ByteArrayInputStream(pem)));
        }
        if (found.isEmpty()) {
            throw new GeneralSecurityException("no certificate in it");
        }
        return found;
    }

    /**
     * Returns the first private key in the file, which must not be encrypted. It may be PKCS#8, or
     * as older programs write it: PKCS#1 (RSA) or SEC 1 (EC).
     *
     * @throws GeneralSecurityException if there is none, or a damaged one
     */
    public static PrivateKey privateKey(Path file) throws IOException, GeneralSecurityException {
        return PemKeyReader.read(text(file));
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.ISO_8859_1);
    }
}
