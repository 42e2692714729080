package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

/** A response to {@code stats}. */
public record Stats(Map<String, Object> members) {
    @SuppressWarnings("unchecked")
    public static Stats parse(String line) {
        assertThat(line).startsWith("ok {");
        return new Stats((Map<String, Object>) Json.parse(line.substring(3)));
    }

    public int connections() {
        return number(members, "connections");
    }

    /** The number of waiters of a lock; 0 if it is not in use. */
    public int waiters(String key) {
        return entries("locks").stream()
                .filter(entry -> entry.get("key").equals(key))
                .mapToInt(entry -> number(entry, "waiters"))
                .sum();
    }

    /** Whether a lock has a holder. */
    public boolean isHeld(String key) {
        return entries("locks").stream()
                .anyMatch(
                        entry ->
                                entry.get("key").equals(key)
                                        && number(entry, "owner_conn_id") != 0);
    }

    /** The number of subscriptions of a pattern, without and in groups. */
    public int listeners(String pattern) {
        return entries("signal_channels").stream()
                .filter(entry -> entry.get("pattern").equals(pattern))
                .mapToInt(entry -> number(entry, "listeners"))
                .sum();
    }

    /** The keys of an array, in its order. */
    public List<String> keys(String array) {
        return entries(array).stream().map(entry -> (String) entry.get("key")).toList();
    }

    @SuppressWarnings("unchecked")
    public List<Map<String, Object>> entries(String array) {
        return (List<Map<String, Object>>) members.get(array);
    }

    public static int number(Map<String, Object> entry, String name) {
        return ((Double) entry.get(name)).intValue();
    }
}
