package io.holdfast.console.options;

import io.holdfast.driver.FailureText;
import io.holdfast.driver.tls.PemFiles;
import io.holdfast.driver.tls.TlsManagers;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Optional;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Reads the certificates that clients trust. All methods throw {@link IllegalArgumentException}
 * with a message for the user.
 */
public final class TrustedCertificates {
    private TrustedCertificates() {}

    /** Trusts only the certificates in a PEM file. */
    public static TrustManagerFactory trust(Path file) {
        try {
            return TlsManagers.trust(PemFiles.certificates(file));
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException(
                    "Cannot use the certificates in " + file + " (--tls-ca): " + FailureText.of(e),
                    e);
        }
    }

    /**
     * Returns a TLS context for sockets.
     *
     * @param file file with the certificates to trust; if empty, those that the JVM trusts
     */
    public static SSLContext context(Optional<Path> file) {
        try {
            if (file.isEmpty()) {
                return SSLContext.getDefault();
            }
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust(file.get()).getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("TLS cannot be used: " + FailureText.of(e), e);
        }
    }
}
