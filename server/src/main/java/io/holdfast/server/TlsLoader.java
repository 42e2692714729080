package io.holdfast.server;

import io.holdfast.driver.FailureText;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.X509KeyManager;

/** Reads certificate and key and checks that they belong together. TLS 1.2 and 1.3 only. */
public final class TlsLoader {
    private static final Pattern CERTIFICATE =
            Pattern.compile(
                    "-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", Pattern.DOTALL);

    private TlsLoader() {}

    static SslContext load(TlsFiles files) throws StartException {
        return context(keyManager(files));
    }

    static SslContext context(X509KeyManager key) throws StartException {
        try {
            return SslContextBuilder.forServer(key)
                    .sslProvider(SslProvider.JDK)
                    .protocols("TLSv1.3", "TLSv1.2")
                    .build();
        } catch (IOException | IllegalArgumentException e) {
            throw new StartException("cannot use the TLS certificate: " + FailureText.of(e), e);
        }
    }

    /** Reads certificate and key. */
    public static X509KeyManager keyManager(TlsFiles files) throws StartException {
        List<X509Certificate> chain = certificates(files.certificate());
        PrivateKey key = key(files.key());
        try {
            if (!belongTogether(chain.getFirst().getPublicKey(), key)) {
                throw new GeneralSecurityException("the key does not belong to the certificate");
            }
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            char[] noPassword = new char[0];
            store.setKeyEntry("server", key, noPassword, chain.toArray(Certificate[]::new));
            KeyManagerFactory factory =
                    KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, noPassword);
            return Stream.of(factory.getKeyManagers())
                    .filter(X509KeyManager.class::isInstance)
                    .map(X509KeyManager.class::cast)
                    .findFirst()
                    .orElseThrow();
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw new StartException(
                    "cannot use the TLS certificate "
                            + files.certificate()
                            + " with the key "
                            + files.key()
                            + ": "
                            + FailureText.of(e),
                    e);
        }
    }

    /** All certificates in the file; other content is ignored. */
    private static List<X509Certificate> certificates(Path file) throws StartException {
        try {
            List<X509Certificate> chain = new ArrayList<>();
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            String text = Files.readString(file, StandardCharsets.ISO_8859_1);
            Matcher block = CERTIFICATE.matcher(text);
            while (block.find()) {
                byte[] pem = block.group().getBytes(StandardCharsets.ISO_8859_1);
                chain.add(
                        (X509Certificate)
                                factory.generateCertificate(new ByteArrayInputStream(pem)));
            }
            if (chain.isEmpty()) {
                throw new GeneralSecurityException("no certificate in it");
            }
            return chain;
        } catch (IOException | GeneralSecurityException e) {
            throw new StartException(
                    "cannot load the TLS certificate " + file + ": " + FailureText.of(e), e);
        }
    }

    private static PrivateKey key(Path file) throws StartException {
        try {
            return PemKeyReader.read(file);
        } catch (IOException | GeneralSecurityException e) {
            throw new StartException(
                    "cannot load the TLS key " + file + ": " + FailureText.of(e), e);
        }
    }

    private static boolean belongTogether(PublicKey certified, PrivateKey key)
            throws GeneralSecurityException {
        if (!sameAlgorithm(certified.getAlgorithm(), key.getAlgorithm())) {
            return false;
        }
        String algorithm =
                switch (key.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default -> "EdDSA";
                };
        byte[] sample = "sample".getBytes(StandardCharsets.US_ASCII);
        Signature signer = Signature.getInstance(algorithm);
        signer.initSign(key);
        signer.update(sample);
        byte[] signature = signer.sign();
        Signature verifier = Signature.getInstance(algorithm);
        verifier.initVerify(certified);
        verifier.update(sample);
        try {
            return verifier.verify(signature);
        } catch (GeneralSecurityException e) {
            return false; // another curve or key size
        }
    }

    private static boolean sameAlgorithm(String one, String other) {
        return one.equals(other) || (one.startsWith("Ed") && other.startsWith("Ed"));
    }
}
