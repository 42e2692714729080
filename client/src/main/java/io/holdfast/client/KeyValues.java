package io.holdfast.client;

import java.time.Duration;
import java.util.Optional;

/**
 * Small values by key. A cache, not a store: a server that restarts may have forgotten them.
 *
 * {@snippet :
 * holdfast.kv().put("motd", "hello world", Duration.ofMinutes(5));
 * System.out.println(holdfast.kv().get("motd").orElse("none")); // hello world
 * }
 */
public interface KeyValues {
    /** Sets a value: not empty, no line break, about 250 bytes at most. */
    void put(String key, String value);

    /** Sets a value that is forgotten after a time, in whole seconds. */
    void put(String key, String value, Duration timeToLive);

    Optional<String> get(String key);

    void remove(String key);
}
