package io.holdfast.http.inspect;

import io.holdfast.driver.ClientInfo;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
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
import java.util.function.BiConsumer;
import java.util.function.LongFunction;

/**
 * Records operator actions: keeps the latest in memory and logs each. Belongs to the event loop.
 */
final class OperatorAudit {
    private static final Logger LOG = LoggerFactory.getLogger(OperatorAudit.class);
    static final int MAX_RECORDS = 256;

    /** Maximum number of affected holders that are listed in a record. */
    private static final int MAX_NAMED = 16;

    /** An operator action. */
    sealed interface Act {}

    record Released(ResourceKind kind, Key key, List<Effect.ForceReleased.Loss> lost)
            implements Act {}

    record Kicked(long session) implements Act {}

    /** The latest first. */
    private final Deque<JsonObject> records = new ArrayDeque<>();

    private final Set<BiConsumer<Act, JsonObject>> watchers = new LinkedHashSet<>();

    void released(
            String address,
            Released act,
            long fence,
            LongFunction<@Nullable ClientInfo> peers,
            @Nullable String reason) {
        ResourceKind resourceKind = act.kind();
        Key key = act.key();
        int holds = act.lost().size();
        JsonArray lost = new JsonArray();
        act.lost().stream()
                .limit(MAX_NAMED)
                .forEach(
                        loss ->
                                lost.add(
                                        JsonFormat.putClient(
                                                        new JsonObject(),
                                                        loss.session(),
                                                        peers.apply(loss.session()))
                                                .put("fence", Long.toString(loss.fence()))));
        JsonObject entry = begin("release", address).put("kind", JsonFormat.label(resourceKind));
        JsonFormat.putKey(entry, key)
                .put("connection", null)
                .put("name", null)
                .put("protocol", null)
                .put("released", holds)
                .put("lost", lost)
                .put("fence", Long.toString(fence));
        LOG.atInfo()
                .addKeyValue("action", "release")
                .addKeyValue("address", address)
                .addKeyValue("kind", JsonFormat.label(resourceKind))
                .addKeyValue("key", key)
                .addKeyValue("released", holds)
                .addKeyValue("lost", lost)
                .addKeyValue("fence", fence)
                .addKeyValue("reason", reason == null ? "" : reason)
                .log("audit");
        end(act, entry, reason);
    }

    void kicked(
            String address,
            long session,
            @Nullable ClientInfo clientInfo,
            @Nullable String reason) {
        String name = clientInfo == null ? "" : clientInfo.name().get();
        String protocol = clientInfo == null ? "" : clientInfo.protocol();
        JsonObject entry =
                begin("kick", address)
                        .put("kind", null)
                        .put("namespace", null)
                        .put("key", null)
                        .put("connection", session)
                        .put("name", name)
                        .put("protocol", protocol)
                        .put("released", null)
                        .put("lost", null)
                        .put("fence", null);
        LOG.atInfo()
                .addKeyValue("action", "kick")
                .addKeyValue("address", address)
                .addKeyValue("connection", session)
                .addKeyValue("name", name)
                .addKeyValue("protocol", protocol)
                .addKeyValue("reason", reason == null ? "" : reason)
                .log("audit");
        end(new Kicked(session), entry, reason);
    }

    private static JsonObject begin(String action, String address) {
        return new JsonObject()
                .put("at", JsonFormat.time(Instant.now()))
                .put("action", action)
                .put("address", address);
    }

    private void end(Act act, JsonObject entry, @Nullable String reason) {
        entry.put("reason", reason);
        records.addFirst(entry);
        if (records.size() > MAX_RECORDS) {
            records.removeLast();
        }
        List.copyOf(watchers).forEach(watcher -> watcher.accept(act, entry));
    }

    JsonArray records() {
        JsonArray all = new JsonArray();
        records.forEach(entry -> all.add(entry.copy()));
        return all;
    }

    void watch(BiConsumer<Act, JsonObject> watcher) {
        watchers.add(watcher);
    }

    void unwatch(BiConsumer<Act, JsonObject> watcher) {
        watchers.remove(watcher);
    }
}
