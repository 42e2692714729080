package io.holdfast.cli.serve;

import io.holdfast.cluster.ClusterConfig;
import io.holdfast.driver.config.ConfigException;
import io.holdfast.http.HttpAddress;
import io.holdfast.http.HttpConfig;
import io.holdfast.server.Limits;
import io.holdfast.server.RestartQuarantineConfig;
import io.holdfast.server.ServerConfig;
import io.holdfast.server.Timeouts;
import io.holdfast.server.TlsFiles;
import io.holdfast.server.listener.ListenEndpoint;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.function.Supplier;

/**
 * The configuration of a server and of everything around it.
 *
 * @param http without an address if there is no HTTP
 * @param cluster null if the state is in memory only
 * @param secrets reads the secrets again for a reload; null if the command has no secrets
 * @param restart null for no quarantine after a crash
 * @param debug whether debug messages are logged
 */
record ServerPlan(
        ServerConfig server,
        HttpConfig http,
        @Nullable ClusterConfig cluster,
        @Nullable Supplier<ServerSecrets> secrets,
        @Nullable RestartQuarantineConfig restart,
        boolean debug) {
    static Builder builder() {
        return new Builder();
    }

    boolean servesHttp() {
        return !http.addresses().isEmpty();
    }

    /** The settings of a command are put into the builders of the records that check them. */
    static final class Builder {
        private final Limits.Builder limits = Limits.builder();
        private final Timeouts.Builder timeouts = Timeouts.builder();
        private final ServerConfig.Builder server = ServerConfig.builder();
        private final HttpConfig.Builder http = HttpConfig.at();
        private @Nullable ClusterConfig cluster;
        private @Nullable Supplier<ServerSecrets> secrets;
        private @Nullable RestartQuarantineConfig restart;
        private boolean debug;

        private Builder() {}

        Limits.Builder limits() {
            return limits;
        }

        Timeouts.Builder timeouts() {
            return timeouts;
        }

        ServerConfig.Builder server() {
            return server;
        }

        HttpConfig.Builder http() {
            return http;
        }

        Builder cluster(@Nullable ClusterConfig value) {
            cluster = value;
            return this;
        }

        /** Sets where the secrets come from, and reads them. */
        Builder secrets(Supplier<ServerSecrets> value) {
            secrets = value;
            ServerSecrets now = value.get();
            server.secret(now.full());
            http.secret(now.full()).readToken(now.reading());
            return this;
        }

        Builder restart(@Nullable RestartQuarantineConfig value) {
            restart = value;
            return this;
        }

        Builder debug(boolean value) {
            debug = value;
            return this;
        }

        /** Makes the plan of a server that must have an address to listen on. */
        ServerPlan build() {
            ServerPlan plan = withoutAddress();
            checkAddresses(plan.server.listeners(), plan.http.addresses(), plan.server.tls());
            return plan;
        }

        ServerPlan withoutAddress() {
            ServerConfig config = server.limits(limits.build()).timeouts(timeouts.build()).build();
            return new ServerPlan(config, http.build(), cluster, secrets, restart, debug);
        }

        private static void checkAddresses(
                List<ListenEndpoint> listeners, List<HttpAddress> http, @Nullable TlsFiles tls) {
            if (listeners.isEmpty() && http.isEmpty()) {
                throw new ConfigException("at least one listen address is required");
            }
            for (HttpAddress address : http) {
                if (address.tls() && tls == null) {
                    throw new ConfigException(
                            "listening with TLS on "
                                    + address.authority()
                                    + " needs a certificate and a key");
                }
            }
            if (tls != null
                    && listeners.stream().noneMatch(ListenEndpoint::tls)
                    && http.stream().noneMatch(HttpAddress::tls)) {
                throw new ConfigException(
                        "there is a TLS certificate, but no listen address uses TLS ("
                                + ListenSchemes.ALL.tlsBeginnings()
                                + ")");
            }
        }
    }
}
