package io.holdfast.server.listener;

import io.holdfast.driver.config.ConfigException;
import io.holdfast.server.connection.AddressFormat;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/** The address of a listener. */
public sealed interface ListenAddress {
    /** A TCP address; port 0 binds a free port. */
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
     * @param permissions of the socket file; null leaves them to the umask
     */
    record Unix(Path path, @Nullable Set<PosixFilePermission> permissions)
            implements ListenAddress {
        /** The absolute path, by which two addresses can be compared. */
        public Path normalizedPath() {
            return path.toAbsolutePath().normalize();
        }

        @Override
        public String toString() {
            return path.toString();
        }
    }
}
