package io.holdfast.cli.serve;

import io.holdfast.driver.FailureText;
import io.holdfast.driver.frontend.ClusterView;
import io.holdfast.driver.frontend.FrontEnd;
import io.holdfast.driver.frontend.FrontEndServices;
import io.holdfast.http.HttpAddress;
import io.holdfast.http.HttpConfig;
import io.holdfast.http.HttpFrontEnd;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.StartException;
import io.holdfast.server.TlsLoader;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

import javax.net.ssl.X509KeyManager;

/** Starts the HTTP front end beside the listeners of a server. */
final class HttpFrontEndStarter implements HoldfastServer.FrontEndStarter {
    /** Set so that Vert.x logs through SLF4J. */
    private static final String VERTX_LOGGER = "vertx.logger-delegate-factory-class-name";

    private final HttpSettings settings;
    private final @Nullable Supplier<ClusterView> cluster;
    private List<HttpAddress> addresses = List.of();
    private @Nullable HttpFrontEnd running;

    HttpFrontEndStarter(HttpSettings settings) {
        this(settings, null);
    }

    /**
     * @param cluster returns the cluster's status as seen by this node; null without a cluster
     */
    HttpFrontEndStarter(HttpSettings settings, @Nullable Supplier<ClusterView> cluster) {
        this.settings = settings;
        this.cluster = cluster;
    }

    @Override
    public FrontEnd start(FrontEndServices frontEndServices) throws StartException {
        HttpConfig config = config();
        if (System.getProperty(VERTX_LOGGER) == null) {
            System.setProperty(VERTX_LOGGER, "io.vertx.core.logging.SLF4JLogDelegateFactory");
        }
        try {
            HttpFrontEnd front = HttpFrontEnd.start(config, frontEndServices);
            running = front;
            addresses = front.addresses();
            return front;
        } catch (IOException e) {
            throw new StartException(FailureText.of(e), e);
        }
    }

    /** Reads the certificate and its key from the files; null without TLS. */
    private @Nullable X509KeyManager key() throws StartException {
        boolean tls = settings.listeners().stream().anyMatch(HttpListener::tls);
        return tls && settings.tls() != null ? TlsLoader.keyManager(settings.tls()) : null;
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

    private HttpConfig config() throws StartException {
        List<HttpAddress> listening = new ArrayList<>();
        for (HttpListener listener : settings.listeners()) {
            listening.add(
                    new HttpAddress(
                            listener.address().host(),
                            listener.address().port(),
                            listener.tls(),
                            listener.namespace()));
        }
        return HttpConfig.at(listening)
                .secret(settings.secret())
                .readToken(settings.reading())
                .admin(settings.admin())
                .sessionIdle(settings.idle())
                .ping(settings.ping())
                .maxSessions(settings.maxSessions())
                .maxSessionsPerAddress(settings.maxSessionsPerAddress())
                .maxConnectionsPerAddress(settings.maxConnectionsPerAddress())
                .rate(settings.rate(), settings.burst())
                .corsOrigins(settings.origins())
                .allowedHosts(settings.hosts())
                .key(key())
                .version(version())
                .cluster(cluster)
                .build();
    }

    /** Returns the version of the jar; a build that is not packaged has none. */
    private static String version() {
        String version = HttpFrontEndStarter.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
