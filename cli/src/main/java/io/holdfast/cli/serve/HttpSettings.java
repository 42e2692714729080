package io.holdfast.cli.serve;

import io.holdfast.driver.Secret;
import io.holdfast.server.TlsFiles;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * The configuration of the HTTP front end. A limit of 0 is unlimited.
 *
 * @param secret token with full access; null if no token is required
 * @param reading token with read access; null if there is none
 * @param admin whether clients may force releases and disconnect others without a token
 * @param idle a session that is unused for twice as long ends; zero for no timeout
 * @param rate maximum number of requests per second and client address
 * @param burst maximum burst of requests per client address; 0 for the same as the rate
 */
record HttpSettings(
        List<HttpListener> listeners,
        @Nullable Secret secret,
        @Nullable Secret reading,
        boolean admin,
        Duration idle,
        Duration ping,
        int maxSessions,
        int maxSessionsPerAddress,
        int maxConnectionsPerAddress,
        int rate,
        int burst,
        Set<String> origins,
        Set<String> hosts,
        @Nullable TlsFiles tls) {
    HttpSettings {
        listeners = List.copyOf(listeners);
    }
}
