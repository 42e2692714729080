package io.holdfast.http;

import static io.holdfast.driver.config.SettingRange.requireNotNegative;
import static io.holdfast.driver.config.SettingRange.requirePositive;

import io.holdfast.driver.Secret;
import io.holdfast.driver.config.ConfigException;
import io.holdfast.driver.frontend.ClusterView;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Settings of the HTTP front end. A limit of 0 is unlimited.
 *
 * @param addresses without any, the other settings have no effect
 * @param secret the secret that clients must send; null for no authentication
 * @param readToken a second secret, for read access only; requires {@code secret}
 * @param admin whether the admin routes are available without a secret
 * @param sessionIdle idle timeout: a session that is unused for twice as long ends; 0 for never
 * @param rate requests per second and client address
 * @param burst the maximum number of requests at once per client address; 0 for {@code rate}
 * @param ping interval of the pings on event streams
 * @param corsOrigins origins of pages that may use the API; {@code *} for all
 * @param allowedHosts host names accepted in the Host header, in addition to the server's own
 * @param version of the program, as reported to clients
 * @param cluster supplies the state of the cluster; null without a cluster
 */
public record HttpConfig(
        List<HttpAddress> addresses,
        @Nullable Secret secret,
        @Nullable Secret readToken,
        boolean admin,
        Duration sessionIdle,
        int maxSessions,
        int maxSessionsPerAddress,
        int maxConnectionsPerAddress,
        int rate,
        int burst,
        Duration ping,
        Set<String> corsOrigins,
        Set<String> allowedHosts,
        String version,
        @Nullable Supplier<ClusterView> cluster) {
    public HttpConfig {
        addresses = List.copyOf(addresses);
        corsOrigins = Set.copyOf(corsOrigins);
        allowedHosts = Set.copyOf(allowedHosts);
        requireNotNegative("http-session-idle-timeout", sessionIdle);
        requireNotNegative("http-max-sessions", maxSessions);
        requireNotNegative("http-max-sessions-per-ip", maxSessionsPerAddress);
        requireNotNegative("http-max-connections-per-ip", maxConnectionsPerAddress);
        requireNotNegative("http-rate-limit-per-ip", rate);
        requireNotNegative("http-rate-limit-burst", burst);
        requirePositive("http-sse-ping-interval", ping);
        if (!addresses.isEmpty()) {
            requireServable(secret, readToken, sessionIdle, ping);
        }
    }

    private static void requireServable(
            @Nullable Secret secret,
            @Nullable Secret readToken,
            Duration sessionIdle,
            Duration ping) {
        if (readToken != null && secret == null) {
            throw new ConfigException(
                    "--http-read-token requires --auth-token: without it every client has full"
                            + " access");
        }
        if (sessionIdle.isPositive() && ping.compareTo(sessionIdle) >= 0) {
            throw new ConfigException(
                    "--http-sse-ping-interval must be less than --http-session-idle-timeout (got "
                            + ping.toSeconds()
                            + "s and "
                            + sessionIdle.toSeconds()
                            + "s)");
        }
    }

    /**
     * Returns the same configuration in a program of that version.
     *
     * @param supplier supplies the state of the cluster; null without a cluster
     */
    public HttpConfig in(String program, @Nullable Supplier<ClusterView> supplier) {
        return new HttpConfig(
                addresses,
                secret,
                readToken,
                admin,
                sessionIdle,
                maxSessions,
                maxSessionsPerAddress,
                maxConnectionsPerAddress,
                rate,
                burst,
                ping,
                corsOrigins,
                allowedHosts,
                program,
                supplier);
    }

    /** Returns a builder with the default settings: no authentication and no limits. */
    public static Builder at(HttpAddress... addresses) {
        return at(List.of(addresses));
    }

    /** Returns a builder with the default settings: no authentication and no limits. */
    public static Builder at(List<HttpAddress> addresses) {
        return new Builder(addresses);
    }

    public static final class Builder {
        private List<HttpAddress> addresses;
        private @Nullable Secret secret;
        private @Nullable Secret readToken;
        private boolean admin;
        private Duration sessionIdle = Duration.ofSeconds(20);
        private int maxSessions;
        private int maxSessionsPerAddress;
        private int maxConnectionsPerAddress;
        private int rate;
        private int burst;
        private Duration ping = Duration.ofSeconds(15);
        private Set<String> corsOrigins = Set.of();
        private Set<String> allowedHosts = Set.of();
        private String version = "unknown";
        private @Nullable Supplier<ClusterView> cluster;

        private Builder(List<HttpAddress> addresses) {
            this.addresses = addresses;
        }

        public Builder addresses(List<HttpAddress> values) {
            addresses = values;
            return this;
        }

        public Builder secret(@Nullable Secret value) {
            secret = value;
            return this;
        }

        public Builder readToken(@Nullable Secret value) {
            readToken = value;
            return this;
        }

        public Builder admin(boolean value) {
            admin = value;
            return this;
        }

        public Builder sessionIdle(Duration value) {
            sessionIdle = value;
            return this;
        }

        public Builder maxSessions(int value) {
            maxSessions = value;
            return this;
        }

        public Builder maxSessionsPerAddress(int value) {
            maxSessionsPerAddress = value;
            return this;
        }

        public Builder maxConnectionsPerAddress(int value) {
            maxConnectionsPerAddress = value;
            return this;
        }

        public Builder rate(int perSecond) {
            rate = perSecond;
            return this;
        }

        public Builder burst(int value) {
            burst = value;
            return this;
        }

        public Builder ping(Duration value) {
            ping = value;
            return this;
        }

        public Builder corsOrigins(Set<String> value) {
            corsOrigins = value;
            return this;
        }

        public Builder allowedHosts(Set<String> value) {
            allowedHosts = value;
            return this;
        }

        public Builder version(String value) {
            version = value;
            return this;
        }

        public Builder cluster(@Nullable Supplier<ClusterView> value) {
            cluster = value;
            return this;
        }

        public HttpConfig build() {
            return new HttpConfig(
                    addresses,
                    secret,
                    readToken,
                    admin,
                    sessionIdle,
                    maxSessions,
                    maxSessionsPerAddress,
                    maxConnectionsPerAddress,
                    rate,
                    burst,
                    ping,
                    corsOrigins,
                    allowedHosts,
                    version,
                    cluster);
        }
    }
}
