package io.holdfast.server;

import static io.holdfast.driver.config.SettingRange.requireAtMost;
import static io.holdfast.driver.config.SettingRange.requireNotNegative;

import io.holdfast.driver.Secret;
import io.holdfast.driver.config.ConfigException;
import io.holdfast.engine.EngineSettings;
import io.holdfast.server.listener.ListenAddress;
import io.holdfast.server.listener.ListenEndpoint;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The configuration of the server.
 *
 * @param listeners may be empty if other front ends listen
 * @param autoRelease whether the end of a session releases its holds
 * @param keepsValues whether values without a time to live are exempt from idle collection
 * @param webSocketOrigins host names of web origins that may open a WebSocket, in addition to the
 *     server's own
 * @param events receives a line of text for each event of a protocol that logs them, null if events
 *     are not logged; called on event loops, so must not block
 * @param fenceFile where the highest fence is stored; null for nowhere
 * @param eventLoops the number of event loop threads; 0 for one per two processors
 */
public record ServerConfig(
        List<ListenEndpoint> listeners,
        Limits limits,
        Timeouts timeouts,
        boolean autoRelease,
        boolean keepsValues,
        Set<String> webSocketOrigins,
        @Nullable Consumer<String> events,
        @Nullable Secret secret,
        @Nullable TlsFiles tls,
        @Nullable Path fenceFile,
        IoTransport transport,
        int eventLoops) {
    private static final int MAX_EVENT_LOOPS = 1024;

    public ServerConfig {
        listeners = List.copyOf(listeners);
        webSocketOrigins = Set.copyOf(webSocketOrigins);
        requireNotNegative("event-loops", eventLoops);
        requireAtMost("event-loops", MAX_EVENT_LOOPS, eventLoops);
        for (ListenEndpoint listenEndpoint : listeners) {
            if (listenEndpoint.tls() && tls == null) {
                throw new ConfigException(
                        "listening with TLS on "
                                + listenEndpoint
                                + " needs a certificate and a key");
            }
        }
        requireDistinctPaths(listeners);
        var _ = KeyQueuePolicies.of(listeners); // fails if two listeners contradict each other
    }

    public static Builder builder() {
        return new Builder();
    }

    /** The settings of the engine, with the queue policies of the listeners. */
    public EngineSettings engineSettings() {
        return new EngineSettings(
                limits.maxWaiters(),
                timeouts.idle().toNanos(),
                autoRelease,
                limits.maxListLength(),
                keepsValues,
                KeyQueuePolicies.of(listeners));
    }

    private static void requireDistinctPaths(List<ListenEndpoint> listeners) {
        Set<Path> paths = new HashSet<>();
        for (ListenEndpoint listenEndpoint : listeners) {
            if (listenEndpoint.address() instanceof ListenAddress.Unix unix
                    && !paths.add(unix.normalizedPath())) {
                throw new ConfigException("two listen addresses have the path " + listenEndpoint);
            }
        }
    }

    public static final class Builder {
        private List<ListenEndpoint> listeners = List.of();
        private Limits limits = Limits.builder().build();
        private Timeouts timeouts = Timeouts.builder().build();
        private boolean autoRelease = true;
        private boolean keepsValues;
        private Set<String> webSocketOrigins = Set.of();
        private @Nullable Consumer<String> events;
        private @Nullable Secret secret;
        private @Nullable TlsFiles tls;
        private @Nullable Path fenceFile;
        private IoTransport transport = IoTransport.AUTO;
        private int eventLoops;

        private Builder() {}

        public Builder listeners(ListenEndpoint... values) {
            return listeners(List.of(values));
        }

        public Builder listeners(List<ListenEndpoint> values) {
            listeners = values;
            return this;
        }

        public Builder autoRelease(boolean value) {
            autoRelease = value;
            return this;
        }

        public Builder keepsValues(boolean value) {
            keepsValues = value;
            return this;
        }

        public Builder limits(Limits value) {
            limits = value;
            return this;
        }

        public Builder timeouts(Timeouts value) {
            timeouts = value;
            return this;
        }

        public Builder webSocketOrigins(Set<String> value) {
            webSocketOrigins = value;
            return this;
        }

        public Builder events(@Nullable Consumer<String> value) {
            events = value;
            return this;
        }

        public Builder secret(@Nullable Secret value) {
            secret = value;
            return this;
        }

        public Builder tls(@Nullable TlsFiles value) {
            tls = value;
            return this;
        }

        public Builder fenceFile(@Nullable Path value) {
            fenceFile = value;
            return this;
        }

        public Builder transport(IoTransport value) {
            transport = value;
            return this;
        }

        public Builder eventLoops(int value) {
            eventLoops = value;
            return this;
        }

        public ServerConfig build() {
            return new ServerConfig(
                    listeners,
                    limits,
                    timeouts,
                    autoRelease,
                    keepsValues,
                    webSocketOrigins,
                    events,
                    secret,
                    tls,
                    fenceFile,
                    transport,
                    eventLoops);
        }
    }
}
