package io.holdfast.cluster.raft;

import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.ClusterTls;
import io.holdfast.cluster.rpc.RpcSocketFactory;
import io.holdfast.driver.FailureText;
import io.holdfast.driver.tls.PemFiles;
import io.holdfast.driver.tls.TlsManagers;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;

/**
 * Mutual TLS between nodes, and between administration clients and nodes. Unusable files are
 * reported before anything starts: later they would only show as a node that cannot be reached.
 */
public final class RaftTls {
    private RaftTls() {}

    /**
     * Returns the factory of connections to nodes.
     *
     * @param files null for connections without TLS
     */
    public static RpcSocketFactory sockets(@Nullable ClusterTls files) throws ClusterException {
        return new RpcSocketFactory(files == null ? null : context(files));
    }

    private static SSLContext context(ClusterTls files) throws ClusterException {
        List<X509Certificate> chain =
                certificates("the certificate of the node", files.certificate());
        PrivateKey key = key(files.key());
        List<X509Certificate> authority =
                certificates("the authority of the cluster", files.authority());
        requireTogether(files, chain.getFirst(), key);
        try {
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

    private static void requireTogether(
            ClusterTls files, X509Certificate certificate, PrivateKey key) throws ClusterException {
        boolean together;
        try {
            together = TlsManagers.belongTogether(certificate, key);
        } catch (GeneralSecurityException e) {
            throw new ClusterException(
                    "cannot use the key of the node " + files.key() + ": " + FailureText.of(e), e);
        }
        if (!together) {
            throw new ClusterException(
                    "the key "
                            + files.key()
                            + " does not belong to the certificate "
                            + files.certificate());
        }
    }

    private static SSLContext context(
            List<X509Certificate> chain, PrivateKey key, List<X509Certificate> authority)
            throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(
                new KeyManager[] {TlsManagers.identity(chain, key)},
                TlsManagers.trust(authority).getTrustManagers(),
                null);
        return context;
    }

    private static List<X509Certificate> certificates(String noun, Path file)
            throws ClusterException {
        try {
            return PemFiles.certificates(file);
        } catch (IOException | GeneralSecurityException e) {
            throw cannotLoad(noun, file, e);
        }
    }

    private static PrivateKey key(Path file) throws ClusterException {
        try {
            return PemFiles.privateKey(file);
        } catch (IOException | GeneralSecurityException e) {
            throw cannotLoad("the key of the node", file, e);
        }
    }

    private static ClusterException cannotLoad(String noun, Path file, Exception e) {
        return new ClusterException(
                "cannot load " + noun + " " + file + ": " + FailureText.of(e), e);
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
