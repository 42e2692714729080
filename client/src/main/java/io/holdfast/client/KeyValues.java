package io.holdfast.client;

import java.time.Duration;
import java.util.Optional;

/**
 * Small values by key. A cache, not a store: a server may lose them when it restarts.
 *
 * {@snippet :
 * holdfast.kv().put("motd", "hello world", Duration.ofMinutes(5));
 * System.out.println(holdfast.kv().get("motd").orElse("none")); // hello world
 * }
 */
public interface KeyValues {
    /**
     * Sets a value, which must not be empty or contain line breaks, and has at most about 250
     * bytes.
     */
    void put(String key, String value);

    /** Sets a value with a TTL, which is rounded up to whole seconds. */
    void put(String key, String value, Duration timeToLive);

    Optional<String> get(String key);

    void remove(String key);
}
