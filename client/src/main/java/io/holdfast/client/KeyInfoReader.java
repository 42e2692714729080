package io.holdfast.client;

import io.holdfast.client.KeyInfo.Holder;
import io.holdfast.client.KeyInfo.ResourceInfo;
import io.holdfast.client.internal.service.LockService;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Requests and parses the state of keys and the statistics of servers. */
final class KeyInfoReader {
    private final ClientCore core;
    private final ImmediateCommands commands;

    KeyInfoReader(ClientCore core, ImmediateCommands commands) {
        this.core = core;
        this.commands = commands;
    }

    KeyInfo info(String key) {
        var service = core.serviceOf(key);
        if (!service.features().tagged()) {
            return fromStats(key, root(service, "stats", "_"));
        }
        var root = root(service, "info", key);
        return new KeyInfo(
                key, resourceInfo(root.get("mutex")), resourceInfo(root.get("semaphore")));
    }

    List<ServerStats> stats() {
        var all = new ArrayList<ServerStats>();
        for (var service : core.services()) {
            var json = commands.send(service, "stats", "_", "_").orElse("");
            var root = JsonReader.object(read(json, "stats"));
            all.add(
                    new ServerStats(
                            service.address(),
                            JsonReader.number(root.get("connections")),
                            keys(root.get("locks"), true),
                            keys(root.get("semaphores"), false),
                            json));
        }
        return List.copyOf(all);
    }

    private Map<?, ?> root(LockService service, String command, String key) {
        return JsonReader.object(
                read(commands.send(service, command, key, "_").orElse(""), command));
    }

    private static @Nullable Object read(String json, String command) {
        try {
            return JsonReader.read(json);
        } catch (IllegalArgumentException e) {
            throw new OutcomeUnknownException(command + ": the response is not valid JSON", e);
        }
    }

    private static List<ServerStats.HeldKey> keys(@Nullable Object entries, boolean locks) {
        var keys = new ArrayList<ServerStats.HeldKey>();
        for (var each : JsonReader.array(entries)) {
            var entry = JsonReader.object(each);
            keys.add(
                    new ServerStats.HeldKey(
                            JsonReader.string(entry.get("key")),
                            locks
                                    ? Math.min(1, JsonReader.number(entry.get("owner_conn_id")))
                                    : JsonReader.number(entry.get("holders")),
                            locks ? 1 : JsonReader.number(entry.get("limit")),
                            JsonReader.number(entry.get("waiters"))));
        }
        return List.copyOf(keys);
    }

    private static Optional<ResourceInfo> resourceInfo(@Nullable Object part) {
        if (!(part instanceof Map<?, ?> entry)) {
            return Optional.empty();
        }
        var holders = new ArrayList<Holder>();
        for (var each : JsonReader.array(entry.get("holders"))) {
            holders.add(holder(JsonReader.object(each)));
        }
        long limit = entry.get("limit") == null ? 1 : JsonReader.number(entry.get("limit"));
        return Optional.of(
                new ResourceInfo(
                        limit,
                        JsonReader.number(entry.get("held")),
                        JsonReader.number(entry.get("waiters")),
                        List.copyOf(holders),
                        entry.get("position") == null
                                ? OptionalLong.empty()
                                : OptionalLong.of(JsonReader.number(entry.get("position")))));
    }

    private static Holder holder(Map<?, ?> entry) {
        var fence = JsonReader.string(entry.get("fence"));
        long lease = JsonReader.number(entry.get("lease_ms"));
        return new Holder(
                JsonReader.number(entry.get("session")),
                JsonReader.string(entry.get("label")),
                fence.matches("[0-9]{1,19}")
                        ? OptionalLong.of(Long.parseUnsignedLong(fence))
                        : OptionalLong.empty(),
                JsonReader.string(entry.get("mode")).equals("read"),
                lease < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(lease)));
    }

    /** A plain dflockd has no {@code info}; its statistics have less detail. */
    private static KeyInfo fromStats(String key, Map<?, ?> root) {
        return new KeyInfo(
                key,
                entryOf(key, root.get("locks")).map(KeyInfoReader::plainLock),
                entryOf(key, root.get("semaphores")).map(KeyInfoReader::plainSemaphore));
    }

    private static Optional<Map<?, ?>> entryOf(String key, @Nullable Object entries) {
        for (var each : JsonReader.array(entries)) {
            var entry = JsonReader.object(each);
            if (key.equals(entry.get("key"))) {
                return Optional.of(entry);
            }
        }
        return Optional.empty();
    }

    private static ResourceInfo plainLock(Map<?, ?> entry) {
        long owner = JsonReader.number(entry.get("owner_conn_id"));
        var left =
                entry.get("lease_expires_in_s") instanceof BigDecimal seconds
                        ? Optional.of(
                                Duration.ofMillis(
                                        Math.min(
                                                seconds.movePointRight(3).longValue(),
                                                9_223_372_036_000L)))
                        : Optional.<Duration>empty();
        List<Holder> holders =
                owner == 0
                        ? List.of()
                        : List.of(new Holder(owner, "", OptionalLong.empty(), false, left));
        return new ResourceInfo(
                1,
                holders.size(),
                JsonReader.number(entry.get("waiters")),
                holders,
                OptionalLong.empty());
    }

    private static ResourceInfo plainSemaphore(Map<?, ?> entry) {
        return new ResourceInfo(
                JsonReader.number(entry.get("limit")),
                JsonReader.number(entry.get("holders")),
                JsonReader.number(entry.get("waiters")),
                List.of(),
                OptionalLong.empty());
    }
}
