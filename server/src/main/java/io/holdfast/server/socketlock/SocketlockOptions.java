package io.holdfast.server.socketlock;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.QueuePolicy;
import io.holdfast.server.listener.ListenAddress;
import io.holdfast.server.listener.ListenerOptions;
import io.holdfast.server.listener.OptionReader;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The options of a socketlock listener, which serves one read/write lock.
 *
 * @param key the key of the lock; null for a lock that no other listener serves
 * @param policy the queue policy of the lock; null for that of another listener of this key, or
 *     first come first served
 */
public record SocketlockOptions(
        Namespace namespace,
        @Nullable ByteString key,
        @Nullable QueuePolicy policy,
        SocketlockTimeouts limits)
        implements ListenerOptions {
    /** No configured namespace can be equal to it: those have no control characters. */
    private static final Namespace PATHS = new Namespace("\0socketlock");

    static SocketlockOptions read(OptionReader given) {
        String key = given.text("key");
        if (key == null && given.has("namespace")) {
            throw given.invalid("has a namespace without a key");
        }
        if (key != null && key.isEmpty()) {
            throw given.invalid("has an empty key");
        }
        Namespace namespace = given.namespace();
        String policy = given.text("policy");
        return new SocketlockOptions(
                namespace,
                key == null ? null : ByteString.of(key),
                policy == null
                        ? null
                        : policy(policy)
                                .orElseThrow(
                                        () ->
                                                given.invalid(
                                                        "has policy="
                                                                + policy
                                                                + ": fifo, reader or writer")),
                SocketlockTimeouts.of(
                        given.duration("request-timeout"),
                        given.duration("confirm-timeout"),
                        given.duration("max-ttl")));
    }

    /** Returns empty for an unknown policy. */
    public static Optional<QueuePolicy> policy(String text) {
        return switch (text.strip().toLowerCase(Locale.ROOT)) {
            case "fifo" -> Optional.of(QueuePolicy.FIFO);
            case "reader", "read", "readerpreferred" -> Optional.of(QueuePolicy.READER_PREFERRED);
            case "writer", "write", "writerpreferred" -> Optional.of(QueuePolicy.WRITER_PREFERRED);
            default -> Optional.empty();
        };
    }

    /** The key of the lock; without a configured one it is the path. */
    Key lock(ListenAddress.Unix address) {
        return key != null
                ? Key.of(namespace, key.bytes())
                : Key.of(
                        PATHS,
                        address.normalizedPath().toString().getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public Map<Key, QueuePolicy> queuePolicies(ListenAddress address) {
        return policy == null ? Map.of() : Map.of(lock((ListenAddress.Unix) address), policy);
    }
}
