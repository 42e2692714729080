package io.holdfast.client.testing.internal;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The counters, values and lists. Guarded by the server's monitor. */
final class MemoryData {
    private record Value(String text, long due) {}

    private final MemoryClock clock;
    private final Map<String, Long> counters = new HashMap<>();
    private final Map<String, Value> values = new HashMap<>();
    private final Map<String, Deque<String>> lists = new HashMap<>();

    MemoryData(MemoryClock clock) {
        this.clock = clock;
    }

    /** Executes a command and returns the response line; null if it is not a data command. */
    @Nullable String execute(String command, String key, String argument) {
        try {
            return switch (command) {
                case "incr" -> add(key, Long.parseLong(argument));
                case "decr" -> add(key, Math.negateExact(Long.parseLong(argument)));
                case "get" -> "ok " + counters.getOrDefault(key, 0L);
                case "cset" -> set(key, Long.parseLong(argument));
                case "kset" -> put(key, argument);
                case "kget" -> value(key);
                case "kdel" -> remove(key);
                case "lpush", "rpush" -> push(key, argument, command.startsWith("l"));
                case "lpop", "rpop" -> pop(key, command.startsWith("l"));
                case "llen" -> "ok " + items(key).size();
                case "lrange" -> range(key, argument);
                default -> null;
            };
        } catch (ArithmeticException | NumberFormatException e) {
            return "error";
        }
    }

    private String add(String key, long delta) {
        long sum = Math.addExact(counters.getOrDefault(key, 0L), delta);
        counters.put(key, sum);
        return "ok " + sum;
    }

    private String set(String key, long value) {
        counters.put(key, value);
        return "ok";
    }

    private String put(String key, String argument) {
        int space = argument.lastIndexOf(' ');
        long seconds = space < 0 ? 0 : Long.parseLong(argument.substring(space + 1));
        var text = space < 0 ? argument : argument.substring(0, space);
        long due =
                seconds == 0
                        ? Long.MAX_VALUE
                        : Math.addExact(
                                clock.nanoTime(), Math.multiplyExact(seconds, 1_000_000_000L));
        values.put(key, new Value(text, due));
        return "ok";
    }

    private String value(String key) {
        var value = values.get(key);
        if (value != null && clock.nanoTime() >= value.due()) {
            values.remove(key);
            value = null;
        }
        return value == null ? "nil" : "ok " + value.text();
    }

    private String remove(String key) {
        values.remove(key);
        return "ok";
    }

    private Deque<String> items(String key) {
        return lists.getOrDefault(key, new ArrayDeque<>());
    }

    private String push(String key, String item, boolean first) {
        var items = lists.computeIfAbsent(key, name -> new ArrayDeque<>());
        if (first) {
            items.addFirst(item);
        } else {
            items.addLast(item);
        }
        return "ok " + items.size();
    }

    private String pop(String key, boolean first) {
        var items = items(key);
        if (items.isEmpty()) {
            return "nil";
        }
        var item = first ? items.removeFirst() : items.removeLast();
        if (items.isEmpty()) {
            lists.remove(key);
        }
        return "ok " + item;
    }

    private String range(String key, String argument) {
        List<String> all = new ArrayList<>(items(key));
        int space = argument.indexOf(' ');
        long first = end(Long.parseLong(argument.substring(0, space)), all.size());
        long last = end(Long.parseLong(argument.substring(space + 1)), all.size());
        var json = new StringBuilder("ok [");
        for (long i = Math.max(0, first); i <= Math.min(last, all.size() - 1L); i++) {
            json.append(json.length() > 4 ? "," : "").append(JsonStrings.quote(all.get((int) i)));
        }
        return json.append(']').toString();
    }

    private static long end(long number, int size) {
        return number < 0 ? number + size : number;
    }
}
