package io.holdfast.server.connection;

import java.time.Duration;

/**
 * What differs between the connections of protocols, apart from the meaning of their bytes.
 *
 * @param protocol the name of the protocol
 * @param concurrentClients whether a client can wait for several things at once on one connection
 * @param readTimeout how long a client may take for a line or message; zero is no limit
 * @param limitsIdle whether the read timeout also limits the time before a request begins
 * @param writeTimeout how long a write may take; zero is no limit
 * @param limitsStreamsOnly whether the write timeout only applies to streamed responses
 */
public record ProtocolTraits(
        String protocol,
        boolean concurrentClients,
        Duration readTimeout,
        boolean limitsIdle,
        Duration writeTimeout,
        boolean limitsStreamsOnly) {
    long readTimeoutNanos() {
        return ConnectionService.nanos(readTimeout);
    }

    long writeTimeoutNanos() {
        return ConnectionService.nanos(writeTimeout);
    }
}
