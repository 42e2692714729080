package io.holdfast.cli.client;

import io.holdfast.client.ConnectionEvent;
import io.holdfast.client.Holdfast;
import io.holdfast.client.HoldfastBuilder;
import io.holdfast.console.options.TrustedCertificates;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Which server to use, and how to connect.
 *
 * @param addresses nodes of one cluster, or shards, as {@code kind} specifies
 * @param token the auth token, read at each connect
 * @param grace the grace period of the session; if empty, the client's default
 * @param trusted file with the certificates to trust; if empty, those that the JVM trusts
 */
record ServerTarget(
        Kind kind,
        List<String> addresses,
        Optional<Supplier<String>> token,
        boolean tls,
        Optional<Path> trusted,
        Optional<String> label,
        Optional<Duration> grace,
        Consumer<ConnectionEvent> listener) {
    enum Kind {
        SERVER,
        SHARDS
    }

    ServerTarget withLabel(Optional<String> text) {
        return new ServerTarget(kind, addresses, token, tls, trusted, text, grace, listener);
    }

    ServerTarget withListener(Consumer<ConnectionEvent> action) {
        return new ServerTarget(kind, addresses, token, tls, trusted, label, grace, action);
    }

    ServerTarget withGrace(Optional<Duration> period) {
        return new ServerTarget(kind, addresses, token, tls, trusted, label, period, listener);
    }

    Holdfast connect() {
        HoldfastBuilder builder = Holdfast.builder().onConnection(listener);
        String[] all = addresses.toArray(String[]::new);
        switch (kind) {
            case SERVER -> builder.cluster(all);
            case SHARDS -> builder.shards(all);
        }
        token.ifPresent(builder::authToken);
        label.ifPresent(builder::label);
        grace.ifPresent(builder::grace);
        if (tls) {
            builder.tls(TrustedCertificates.context(trusted));
        }
        return builder.connect();
    }
}
