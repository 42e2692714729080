package io.holdfast.server;

import io.holdfast.driver.config.ConfigException;
import io.holdfast.engine.Key;
import io.holdfast.engine.QueuePolicy;
import io.holdfast.server.listener.ListenEndpoint;

import java.util.HashMap;
import java.util.Map;

/** The queue policies of keys, as configured by the listeners. */
final class KeyQueuePolicies {
    private KeyQueuePolicies() {}

    static Map<Key, QueuePolicy> of(Iterable<ListenEndpoint> listeners) {
        Map<Key, QueuePolicy> policies = new HashMap<>();
        Map<Key, ListenEndpoint> named = new HashMap<>();
        for (ListenEndpoint listenEndpoint : listeners) {
            var given = listenEndpoint.options().queuePolicies(listenEndpoint.address());
            for (Map.Entry<Key, QueuePolicy> entry : given.entrySet()) {
                Key key = entry.getKey();
                QueuePolicy before = policies.put(key, entry.getValue());
                ListenEndpoint first = named.putIfAbsent(key, listenEndpoint);
                if (before != null && before != entry.getValue()) {
                    throw new ConfigException(
                            "the key %s cannot have two policies: %s on %s and %s on %s"
                                    .formatted(
                                            key,
                                            label(before),
                                            first,
                                            label(entry.getValue()),
                                            listenEndpoint));
                }
            }
        }
        return policies;
    }

    private static String label(QueuePolicy queuePolicy) {
        return switch (queuePolicy) {
            case FIFO -> "fifo";
            case READER_PREFERRED -> "reader";
            case WRITER_PREFERRED -> "writer";
        };
    }
}
