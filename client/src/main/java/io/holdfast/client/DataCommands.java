package io.holdfast.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The implementations of counters, values and lists. */
final class DataCommands {
    private DataCommands() {}

    record ServerCounter(ImmediateCommands commands, String key) implements Counter {
        @Override
        public long increment() {
            return increment(1);
        }

        @Override
        public long increment(long by) {
            return commands.number("incr", key, Long.toString(by));
        }

        @Override
        public long decrement() {
            return decrement(1);
        }

        @Override
        public long decrement(long by) {
            return commands.number("decr", key, Long.toString(by));
        }

        @Override
        public long get() {
            return commands.number("get", key, "_");
        }

        @Override
        public void set(long value) {
            commands.send("cset", key, Long.toString(value));
        }

        @Override
        public String toString() {
            return "Counter[" + key + "]";
        }
    }

    record ServerValues(ImmediateCommands commands) implements KeyValues {
        private static final Duration MAX_TTL = Duration.ofSeconds(9_223_372_036L);

        @Override
        public void put(String key, String value) {
            commands.send("kset", ArgumentValidation.key(key), ArgumentValidation.value(value, 0));
        }

        @Override
        public void put(String key, String value, Duration timeToLive) {
            if (timeToLive.compareTo(Duration.ofSeconds(1)) < 0
                    || timeToLive.compareTo(MAX_TTL) > 0) {
                throw new IllegalArgumentException(
                        "timeToLive must be 1 to "
                                + MAX_TTL.toSeconds()
                                + " seconds but is "
                                + timeToLive);
            }
            long seconds = timeToLive.plusNanos(999_999_999).toSeconds();
            commands.send(
                    "kset",
                    ArgumentValidation.key(key),
                    ArgumentValidation.value(value, Math.min(seconds, MAX_TTL.toSeconds())));
        }

        @Override
        public Optional<String> get(String key) {
            return commands.send("kget", ArgumentValidation.key(key), "_");
        }

        @Override
        public void remove(String key) {
            commands.send("kdel", ArgumentValidation.key(key), "_");
        }

        @Override
        public String toString() {
            return "KeyValues";
        }
    }

    record ServerList(ImmediateCommands commands, String key) implements ItemList {
        @Override
        public long pushFirst(String item) {
            return commands.number("lpush", key, ArgumentValidation.item(item));
        }

        @Override
        public long pushLast(String item) {
            return commands.number("rpush", key, ArgumentValidation.item(item));
        }

        @Override
        public Optional<String> popFirst() {
            return commands.send("lpop", key, "_");
        }

        @Override
        public Optional<String> popLast() {
            return commands.send("rpop", key, "_");
        }

        @Override
        public long size() {
            return commands.number("llen", key, "_");
        }

        @Override
        public List<String> range(long first, long last) {
            return strings(commands.send("lrange", key, first + " " + last).orElse("[]"), key);
        }

        @Override
        public String toString() {
            return "ItemList[" + key + "]";
        }
    }

    static List<String> strings(String json, String key) {
        var items = new ArrayList<String>();
        try {
            for (var item : JsonReader.array(JsonReader.read(json))) {
                items.add(JsonReader.string(item));
            }
        } catch (IllegalArgumentException e) {
            throw new OutcomeUnknownException(
                    "lrange " + key + ": the response is not valid JSON", e);
        }
        return List.copyOf(items);
    }
}
