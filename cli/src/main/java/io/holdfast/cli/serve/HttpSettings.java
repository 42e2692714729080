package io.holdfast.cli.serve;

import io.holdfast.driver.Secret;
import io.holdfast.server.TlsFiles;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * What HTTP is told. A count of 0 is no limit.
 *
 * @param secret lets do everything; null if nobody needs one
 * @param reading lets read; null if there is no such secret
 * @param admin whether all may release and kick where there is no secret
 * @param idle a session may be unused for twice as long; zero is for ever
 * @param rate requests of one address a second
 * @param burst requests of one address at once; 0 is as the rate
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
