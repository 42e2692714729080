package io.holdfast.http.inspect;

import io.holdfast.engine.Key;
import io.holdfast.engine.Kind;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What operators did by force: the last of it, a line of the log each. Belongs to the event loop.
 */
final class Audit {
    private static final Logger LOG = LoggerFactory.getLogger(Audit.class);
    static final int KEPT = 256;

    /** The last first. */
    private final Deque<JsonObject> records = new ArrayDeque<>();

    private final Set<Consumer<JsonObject>> watchers = new LinkedHashSet<>();

    void released(
            String address, Kind kind, Key key, int holds, long fence, @Nullable String reason) {
        JsonObject entry = begin("release", address).put("kind", Show.word(kind));
        Show.putKey(entry, key)
                .put("connection", null)
                .put("released", holds)
                .put("fence", Long.toString(fence));
        LOG.atInfo()
                .addKeyValue("action", "release")
                .addKeyValue("address", address)
                .addKeyValue("kind", Show.word(kind))
                .addKeyValue("key", key)
                .addKeyValue("released", holds)
                .addKeyValue("fence", fence)
                .addKeyValue("reason", reason == null ? "" : reason)
                .log("audit");
        end(entry, reason);
    }

    void kicked(String address, long session, @Nullable String reason) {
        JsonObject entry =
                begin("kick", address)
                        .put("kind", null)
                        .put("namespace", null)
                        .put("key", null)
                        .put("connection", session)
                        .put("released", null)
                        .put("fence", null);
        LOG.atInfo()
                .addKeyValue("action", "kick")
                .addKeyValue("address", address)
                .addKeyValue("connection", session)
                .addKeyValue("reason", reason == null ? "" : reason)
                .log("audit");
        end(entry, reason);
    }

    private static JsonObject begin(String action, String address) {
        return new JsonObject()
                .put("at", Show.time(Instant.now()))
                .put("action", action)
                .put("address", address);
    }

    private void end(JsonObject entry, @Nullable String reason) {
        entry.put("reason", reason);
        records.addFirst(entry);
        if (records.size() > KEPT) {
            records.removeLast();
        }
        List.copyOf(watchers).forEach(watcher -> watcher.accept(entry));
    }

    JsonArray records() {
        JsonArray all = new JsonArray();
        records.forEach(entry -> all.add(entry.copy()));
        return all;
    }

    void watch(Consumer<JsonObject> watcher) {
        watchers.add(watcher);
    }

    void unwatch(Consumer<JsonObject> watcher) {
        watchers.remove(watcher);
    }
}
