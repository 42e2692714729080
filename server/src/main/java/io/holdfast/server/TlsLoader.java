package io.holdfast.server;

import io.holdfast.driver.FailureText;
import io.holdfast.driver.tls.PemFiles;
import io.holdfast.driver.tls.TlsManagers;
import io.holdfast.server.listener.StartException;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;

import javax.net.ssl.X509KeyManager;

/** Reads certificate and key and checks that they belong together. TLS 1.2 and 1.3 only. */
public final class TlsLoader {
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
            if (!TlsManagers.belongTogether(chain.getFirst(), key)) {
                throw new GeneralSecurityException("the key does not belong to the certificate");
            }
            return TlsManagers.identity(chain, key);
        } catch (GeneralSecurityException | IllegalArgumentException e) {
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

    private static List<X509Certificate> certificates(Path file) throws StartException {
        try {
            return PemFiles.certificates(file);
        } catch (IOException | GeneralSecurityException e) {
            throw new StartException(
                    "cannot load the TLS certificate " + file + ": " + FailureText.of(e), e);
        }
    }

    private static PrivateKey key(Path file) throws StartException {
        try {
            return PemFiles.privateKey(file);
        } catch (IOException | GeneralSecurityException e) {
            throw new StartException(
                    "cannot load the TLS key " + file + ": " + FailureText.of(e), e);
        }
    }
}
