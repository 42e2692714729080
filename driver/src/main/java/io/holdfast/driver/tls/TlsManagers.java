package io.holdfast.driver.tls;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.stream.Stream;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509KeyManager;

/** Makes of certificates and keys what the JDK's TLS is configured with. */
public final class TlsManagers {
    private static final char[] NO_PASSWORD = {};

    private TlsManagers() {}

    /**
     * Whether the key is that of the certificate: whether one verifies what the other signs.
     *
     * @throws GeneralSecurityException if the key cannot sign
     */
    public static boolean belongTogether(X509Certificate certificate, PrivateKey key)
            throws GeneralSecurityException {
        PublicKey certified = certificate.getPublicKey();
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
        try {
            verifier.initVerify(certified);
            verifier.update(sample);
            return verifier.verify(signature);
        } catch (InvalidKeyException | SignatureException e) {
            return false; // the certificate is of another algorithm, curve or size
        }
    }

    /** Presents the chain, whose first certificate is that of the key. */
    public static X509KeyManager identity(List<X509Certificate> chain, PrivateKey key)
            throws GeneralSecurityException {
        KeyStore store = emptyStore();
        store.setKeyEntry("own", key, NO_PASSWORD, chain.toArray(X509Certificate[]::new));
        KeyManagerFactory factory =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, NO_PASSWORD);
        return Stream.of(factory.getKeyManagers())
                .filter(X509KeyManager.class::isInstance)
                .map(X509KeyManager.class::cast)
                .findFirst()
                .orElseThrow();
    }

    /** Trusts these certificates, and what they have signed. */
    public static TrustManagerFactory trust(List<X509Certificate> certificates)
            throws GeneralSecurityException {
        KeyStore store = emptyStore();
        for (X509Certificate certificate : certificates) {
            store.setCertificateEntry("trusted-" + store.size(), certificate);
        }
        TrustManagerFactory factory =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory;
    }

    private static KeyStore emptyStore() throws GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try {
            store.load(null, null);
        } catch (IOException e) {
            throw new GeneralSecurityException(e); // nothing is read
        }
        return store;
    }
}
