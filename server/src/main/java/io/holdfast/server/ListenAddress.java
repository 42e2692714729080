package io.holdfast.server;

import io.holdfast.server.connection.AddressFormat;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/** Where a listener is. */
public sealed interface ListenAddress {
    /** A port; 0 takes a free one. */
    record Tcp(String host, int port) implements ListenAddress {
        public Tcp {
            if (host.isEmpty()) {
                throw new ConfigException("a listen address needs a host");
            }
            if (port < 0 || port > 65535) {
                throw new ConfigException("a port must be 0-65535 (got " + port + ")");
            }
        }

        @Override
        public String toString() {
            return AddressFormat.join(host, port);
        }
    }

    /**
     * A Unix socket.
     *
     * @param permissions of the socket; null leaves that to the umask
     */
    record Unix(Path path, @Nullable Set<PosixFilePermission> permissions)
            implements ListenAddress {
        @Override
        public String toString() {
            return path.toString();
        }
    }
}
