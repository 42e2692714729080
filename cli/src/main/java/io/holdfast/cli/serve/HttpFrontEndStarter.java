package io.holdfast.cli.serve;

import io.holdfast.driver.FailureText;
import io.holdfast.driver.frontend.ClusterView;
import io.holdfast.driver.frontend.FrontEnd;
import io.holdfast.driver.frontend.FrontEndServices;
import io.holdfast.http.HttpAddress;
import io.holdfast.http.HttpConfig;
import io.holdfast.http.HttpFrontEnd;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.TlsFiles;
import io.holdfast.server.TlsLoader;
import io.holdfast.server.listener.StartException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

import javax.net.ssl.X509KeyManager;

/** Starts the HTTP front end beside the listeners of a server. */
final class HttpFrontEndStarter implements HoldfastServer.FrontEndStarter {
    /** Set so that Vert.x logs through SLF4J. */
    private static final String VERTX_LOGGER = "vertx.logger-delegate-factory-class-name";

    private final HttpConfig config;
    private final @Nullable TlsFiles tls;
    private List<HttpAddress> addresses = List.of();
    private @Nullable HttpFrontEnd running;

    /**
     * @param tls certificate and key of the addresses with TLS
     * @param cluster returns the cluster's status as seen by this node; null without a cluster
     */
    HttpFrontEndStarter(
            HttpConfig config, @Nullable TlsFiles tls, @Nullable Supplier<ClusterView> cluster) {
        this.config = config.in(version(), cluster);
        this.tls = tls;
    }

    @Override
    public FrontEnd start(FrontEndServices frontEndServices) throws StartException {
        if (System.getProperty(VERTX_LOGGER) == null) {
            System.setProperty(VERTX_LOGGER, "io.vertx.core.logging.SLF4JLogDelegateFactory");
        }
        try {
            HttpFrontEnd front = HttpFrontEnd.start(config, key(), frontEndServices);
            running = front;
            addresses = front.addresses();
            return front;
        } catch (IOException e) {
            throw new StartException(FailureText.of(e), e);
        }
    }

    /** Reads the certificate and its key from the files; null without TLS. */
    private @Nullable X509KeyManager key() throws StartException {
        boolean needed = config.addresses().stream().anyMatch(HttpAddress::tls);
        return needed && tls != null ? TlsLoader.keyManager(tls) : null;
    }

    /** Makes new connections use these secrets and this certificate. */
    void reload(ServerSecrets serverSecrets, @Nullable X509KeyManager key) throws StartException {
        try {
            Objects.requireNonNull(running)
                    .reload(serverSecrets.full(), serverSecrets.reading(), key);
        } catch (IOException e) {
            throw new StartException(String.valueOf(e.getMessage()), e);
        }
    }

    /** Returns the listening addresses; empty before the start. */
    List<HttpAddress> addresses() {
        return addresses;
    }

    /** Returns the version of the jar; a build that is not packaged has none. */
    private static String version() {
        String version = HttpFrontEndStarter.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
