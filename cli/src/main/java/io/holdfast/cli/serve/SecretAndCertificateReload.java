package io.holdfast.cli.serve;

import io.holdfast.driver.FailureText;
import io.holdfast.driver.config.ConfigException;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.listener.StartException;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.function.Supplier;

import javax.net.ssl.X509KeyManager;

/** Reloads secrets and TLS certificates while the server runs. */
final class SecretAndCertificateReload {
    private static final Logger LOG = LoggerFactory.getLogger(SecretAndCertificateReload.class);

    private final Supplier<ServerSecrets> secrets;
    private final HoldfastServer server;
    private final @Nullable Http http;

    /** The HTTP front end. */
    @FunctionalInterface
    interface Http {
        /** Makes new connections use these; if it fails, nothing has changed. */
        void reload(ServerSecrets serverSecrets, @Nullable X509KeyManager key)
                throws StartException;
    }

    SecretAndCertificateReload(
            Supplier<ServerSecrets> secrets, HoldfastServer server, @Nullable Http http) {
        this.secrets = secrets;
        this.server = server;
        this.http = http;
    }

    /** Reloads the files for new connections; if one of them is invalid, nothing changes. */
    synchronized void run() {
        try {
            ServerSecrets next = secrets.get();
            X509KeyManager key = server.readKey();
            Runnable change = server.prepareReload(next.full(), key);
            if (http != null) {
                http.reload(next, key);
            }
            change.run(); // last, because it cannot fail
            LOG.info("SIGHUP: secrets and TLS certificates reloaded; new connections use them");
        } catch (ConfigException | StartException e) {
            LOG.error(
                    "SIGHUP: secrets and TLS certificates not reloaded; the old ones stay in use:"
                            + " {}",
                    e.getMessage());
        } catch (RuntimeException e) {
            LOG.error(
                    "SIGHUP: secrets and TLS certificates not reloaded; the old ones stay in use:"
                            + " {}",
                    FailureText.of(e));
        }
    }
}
