package io.holdfast.cluster.raft;

import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.ClusterTls;
import io.holdfast.cluster.rpc.RpcSocketFactory;
import io.holdfast.driver.FailureText;

import org.apache.ratis.conf.Parameters;
import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Mutual TLS between nodes, and between administration clients and nodes. Unusable files are
 * reported before anything starts: later they would only show as a node that cannot be reached.
 */
public final class RaftTls {
    private static final Pattern CERTIFICATE =
            Pattern.compile(
                    "-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", Pattern.DOTALL);
    private static final Pattern KEY =
            Pattern.compile(
                    "-----BEGIN ((?:[A-Z]+ )*)PRIVATE KEY-----(.*?)-----END \\1PRIVATE KEY-----",
                    Pattern.DOTALL);

    private RaftTls() {}

    /**
     * Returns the Ratis parameters with the transport.
     *
     * @param files null for connections without TLS
     */
    public static Parameters parameters(@Nullable ClusterTls files) throws ClusterException {
        Parameters parameters = new Parameters();
        SocketRpcType.put(parameters, new RpcSocketFactory(files == null ? null : context(files)));
        return parameters;
    }

    private static SSLContext context(ClusterTls files) throws ClusterException {
        List<X509Certificate> chain =
                certificates("the certificate of the node", files.certificate());
        PrivateKey key = key(files.key());
        List<X509Certificate> authority =
                certificates("the authority of the cluster", files.authority());
        try {
            if (!match(chain.getFirst().getPublicKey(), key)) {
                throw new ClusterException(
                        "the key "
                                + files.key()
                                + " does not belong to the certificate "
                                + files.certificate());
            }
            requireSigned(chain, authority);
            return context(chain, key, authority);
        } catch (GeneralSecurityException e) {
            throw new ClusterException(
                    "the certificate "
                            + files.certificate()
                            + " is not valid now, or the authority "
                            + files.authority()
                            + " has not signed it: "
                            + FailureText.of(e),
                    e);
        }
    }

    private static SSLContext context(
            List<X509Certificate> chain, PrivateKey key, List<X509Certificate> authority)
            throws GeneralSecurityException {
        char[] password = {};
        KeyStore own = emptyStore();
        own.setKeyEntry("node", key, password, chain.toArray(X509Certificate[]::new));
        KeyManagerFactory keys =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own, password);
        KeyStore trusted = emptyStore();
        for (X509Certificate certificate : authority) {
            trusted.setCertificateEntry("authority " + trusted.size(), certificate);
        }
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    private static KeyStore emptyStore() throws GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try {
            store.load(null, null);
        } catch (IOException e) {
            throw new GeneralSecurityException(e);
        }
        return store;
    }

    private static List<X509Certificate> certificates(String noun, Path file)
            throws ClusterException {
        try {
            List<X509Certificate> found = new ArrayList<>();
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            Matcher block = CERTIFICATE.matcher(read(noun, file));
            while (block.find()) {
                byte[] pem = block.group().getBytes(StandardCharsets.ISO_8859_1);
                found.add(
                        (X509Certificate)
                                factory.generateCertificate(new ByteArrayInputStream(pem)));
            }
            if (found.isEmpty()) {
                throw new GeneralSecurityException("no certificate in it");
            }
            return found;
        } catch (GeneralSecurityException e) {
            throw new ClusterException(
                    "cannot load " + noun + " " + file + ": " + FailureText.of(e));
        }
    }

    private static String read(String noun, Path file) throws ClusterException {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            throw new ClusterException("cannot load " + noun + " " + file + ": no such file", e);
        } catch (IOException e) {
            throw new ClusterException(
                    "cannot load " + noun + " " + file + ": " + FailureText.of(e), e);
        }
    }

    /** Loads a PKCS#8 key, the only format that Java reads. */
    private static PrivateKey key(Path file) throws ClusterException {
        String noun = "the key of the node";
        Matcher block = KEY.matcher(read(noun, file));
        if (!block.find()) {
            throw new ClusterException("cannot load " + noun + " " + file + ": no key in it");
        }
        if (!block.group(1).isEmpty()) {
            throw new ClusterException(
                    "cannot load "
                            + noun
                            + " "
                            + file
                            + ": it must be PKCS#8 and not encrypted (openssl pkcs8 -topk8 -nocrypt"
                            + " converts it)");
        }
        try {
            byte[] der = Base64.getMimeDecoder().decode(block.group(2));
            for (String algorithm : List.of("EC", "RSA", "EdDSA")) {
                try {
                    return KeyFactory.getInstance(algorithm)
                            .generatePrivate(new PKCS8EncodedKeySpec(der));
                } catch (GeneralSecurityException e) {
                    // not of this algorithm: the next one may fit
                }
            }
        } catch (IllegalArgumentException e) {
            // reported below
        }
        throw new ClusterException(
                "cannot load " + noun + " " + file + ": not a private key of a known kind");
    }

    private static boolean match(PublicKey certified, PrivateKey key) {
        String algorithm =
                switch (key.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default -> "EdDSA";
                };
        try {
            byte[] sample = "sample".getBytes(StandardCharsets.US_ASCII);
            Signature signer = Signature.getInstance(algorithm);
            signer.initSign(key);
            signer.update(sample);
            byte[] signature = signer.sign();
            Signature verifier = Signature.getInstance(algorithm);
            verifier.initVerify(certified);
            verifier.update(sample);
            return verifier.verify(signature);
        } catch (GeneralSecurityException e) {
            return false; // of another algorithm, curve or size
        }
    }

    private static void requireSigned(List<X509Certificate> chain, List<X509Certificate> authority)
            throws GeneralSecurityException {
        Set<TrustAnchor> anchors = new HashSet<>();
        for (X509Certificate certificate : authority) {
            anchors.add(new TrustAnchor(certificate, null));
        }
        List<X509Certificate> path = new ArrayList<>(chain);
        path.removeAll(authority); // many chains end with the authority
        if (path.isEmpty()) {
            return; // it is itself one of the authorities
        }
        PKIXParameters rules = new PKIXParameters(anchors);
        rules.setRevocationEnabled(false);
        CertPathValidator.getInstance("PKIX")
                .validate(CertificateFactory.getInstance("X.509").generateCertPath(path), rules);
    }
}
