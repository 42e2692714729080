package io.holdfast.server;

import io.holdfast.engine.Key;
import io.holdfast.engine.QueuePolicy;

import java.util.HashMap;
import java.util.Map;

/** Who comes next, key by key, as the listeners say. */
final class QueuePolicies {
    private QueuePolicies() {}

    static Map<Key, QueuePolicy> of(Iterable<Endpoint> listeners) {
        Map<Key, QueuePolicy> policies = new HashMap<>();
        Map<Key, Endpoint> named = new HashMap<>();
        for (Endpoint endpoint : listeners) {
            if (endpoint.protocol() instanceof Protocol.Socketlock socketlock
                    && socketlock.policy() != null) {
                Key key = endpoint.lock(socketlock);
                QueuePolicy before = policies.put(key, socketlock.policy());
                Endpoint first = named.putIfAbsent(key, endpoint);
                if (before != null && before != socketlock.policy()) {
                    throw new ConfigException(
                            "the key %s cannot have two policies: %s on %s and %s on %s"
                                    .formatted(
                                            key,
                                            label(before),
                                            first,
                                            label(socketlock.policy()),
                                            endpoint));
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
