package io.holdfast.verification.soak;

import io.holdfast.verification.bench.LineServer.Request;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * Counters, values and lists of a fake server. All overridable methods are called with the monitor
 * held.
 */
class CorrectData {
    private record Value(String text, @Nullable Long endNanos) {
        boolean isOver() {
            return endNanos != null && System.nanoTime() - endNanos >= 0;
        }
    }

    private final Map<String, Long> counters = new HashMap<>();
    private final Map<String, Value> values = new HashMap<>();
    private final Map<String, Deque<String>> lists = new HashMap<>();

    long counter(String key) {
        return counters.getOrDefault(key, 0L);
    }

    void count(String key, long value) {
        counters.put(key, value);
    }

    @Nullable String value(String key) {
        values.values().removeIf(Value::isOver);
        var value = values.get(key);
        return value == null ? null : value.text;
    }

    void put(String key, String text, long ttl) {
        long end = System.nanoTime() + Duration.ofSeconds(ttl).toNanos();
        values.put(key, new Value(text, ttl == 0 ? null : end));
    }

    void remove(String key) {
        values.remove(key);
    }

    /** The list of a key, created if there is none; callers change it in place. */
    Deque<String> list(String key) {
        return lists.computeIfAbsent(key, _ -> new ArrayDeque<>());
    }

    void push(String key, String element) {
        list(key).addLast(element);
    }

    @Nullable String pop(String key) {
        return list(key).pollFirst();
    }

    final synchronized String answer(Request request) {
        var key = request.key();
        var argument = request.argument();
        return switch (request.command()) {
            case "incr" -> add(key, Long.parseLong(argument));
            case "decr" -> add(key, -Long.parseLong(argument));
            case "get" -> "ok " + counter(key);
            case "cset" -> {
                count(key, Long.parseLong(argument));
                yield "ok";
            }
            case "kset" -> {
                int blank = argument.lastIndexOf(' ');
                put(
                        key,
                        argument.substring(0, blank),
                        Long.parseLong(argument, blank + 1, argument.length(), 10));
                yield "ok";
            }
            case "kget" -> okOrNil(value(key));
            case "kdel" -> {
                remove(key);
                yield "ok";
            }
            case "rpush" -> {
                push(key, argument);
                yield "ok " + list(key).size();
            }
            case "lpop" -> okOrNil(pop(key));
            case "llen" -> "ok " + list(key).size();
            case "lrange" -> "ok " + list(key).stream().map(CorrectData::quoted).toList();
            default -> "error";
        };
    }

    /** The entries of the statistics by the name of their array. */
    final synchronized Map<String, String> stats() {
        var counts = new ArrayList<String>();
        counters.forEach((key, value) -> counts.add(entry(key, "value", value)));
        values.values().removeIf(Value::isOver);
        var entries = new ArrayList<String>();
        values.forEach((key, value) -> entries.add(entry(key, "value_len", value.text.length())));
        var lengths = new ArrayList<String>();
        lists.forEach((key, list) -> lengths.add(entry(key, "len", list.size())));
        return Map.of(
                "counters", counts.toString(),
                "kv_entries", entries.toString(),
                "lists", lengths.toString());
    }

    private String add(String key, long delta) {
        long value = counter(key) + delta;
        count(key, value);
        return "ok " + value;
    }

    private static String okOrNil(@Nullable String text) {
        return text == null ? "nil" : "ok " + text;
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    private static String entry(String key, String name, long number) {
        return "{\"key\":\"" + key + "\",\"" + name + "\":" + number + "}";
    }
}
