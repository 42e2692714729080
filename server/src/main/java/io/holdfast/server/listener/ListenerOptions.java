package io.holdfast.server.listener;

import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.QueuePolicy;

import java.util.Map;

/** The options of a listener, which differ from protocol to protocol. */
public interface ListenerOptions {
    /** The namespace of its keys. */
    Namespace namespace();

    /** The policies of the queues of keys, as far as this listener has options for them. */
    default Map<Key, QueuePolicy> queuePolicies(ListenAddress address) {
        return Map.of();
    }
}
