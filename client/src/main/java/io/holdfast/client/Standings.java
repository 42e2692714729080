package io.holdfast.client;

import io.holdfast.client.KeyInfo.Holder;
import io.holdfast.client.KeyInfo.Standing;
import io.holdfast.client.service.LockService;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Asks how keys stand. */
final class Standings {
    private final ClientCore core;
    private final Commands commands;

    Standings(ClientCore core, Commands commands) {
        this.core = core;
        this.commands = commands;
    }

    KeyInfo info(String key) {
        var service = core.serviceOf(key);
        if (!service.abilities().tagged()) {
            return fromStats(key, root(service, "stats", "_"));
        }
        var root = root(service, "info", key);
        return new KeyInfo(key, standing(root.get("mutex")), standing(root.get("semaphore")));
    }

    List<ServerStats> stats() {
        var all = new ArrayList<ServerStats>();
        for (var service : core.services()) {
            var json = commands.ask(service, "stats", "_", "_").orElse("");
            var root = Json.object(read(json, "stats"));
            all.add(
                    new ServerStats(
                            service.address(),
                            Json.number(root.get("connections")),
                            keys(root.get("locks"), true),
                            keys(root.get("semaphores"), false),
                            json));
        }
        return List.copyOf(all);
    }

    private Map<?, ?> root(LockService service, String command, String key) {
        return Json.object(read(commands.ask(service, command, key, "_").orElse(""), command));
    }

    private static @Nullable Object read(String json, String command) {
        try {
            return Json.read(json);
        } catch (IllegalArgumentException e) {
            throw new OutcomeUnknownException(command + ": the answer is no JSON", e);
        }
    }

    private static List<ServerStats.HeldKey> keys(@Nullable Object entries, boolean locks) {
        var keys = new ArrayList<ServerStats.HeldKey>();
        for (var each : Json.array(entries)) {
            var entry = Json.object(each);
            keys.add(
                    new ServerStats.HeldKey(
                            Json.string(entry.get("key")),
                            locks
                                    ? Math.min(1, Json.number(entry.get("owner_conn_id")))
                                    : Json.number(entry.get("holders")),
                            locks ? 1 : Json.number(entry.get("limit")),
                            Json.number(entry.get("waiters"))));
        }
        return List.copyOf(keys);
    }

    private static Optional<Standing> standing(@Nullable Object part) {
        if (!(part instanceof Map<?, ?> entry)) {
            return Optional.empty();
        }
        var holders = new ArrayList<Holder>();
        for (var each : Json.array(entry.get("holders"))) {
            holders.add(holder(Json.object(each)));
        }
        long limit = entry.get("limit") == null ? 1 : Json.number(entry.get("limit"));
        return Optional.of(
                new Standing(
                        limit,
                        Json.number(entry.get("held")),
                        Json.number(entry.get("waiters")),
                        List.copyOf(holders),
                        entry.get("position") == null
                                ? OptionalLong.empty()
                                : OptionalLong.of(Json.number(entry.get("position")))));
    }

    private static Holder holder(Map<?, ?> entry) {
        var fence = Json.string(entry.get("fence"));
        long lease = Json.number(entry.get("lease_ms"));
        return new Holder(
                Json.number(entry.get("session")),
                Json.string(entry.get("label")),
                fence.matches("[0-9]{1,19}")
                        ? OptionalLong.of(Long.parseUnsignedLong(fence))
                        : OptionalLong.empty(),
                Json.string(entry.get("mode")).equals("read"),
                lease < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(lease)));
    }

    /** A plain dflockd tells less. */
    private static KeyInfo fromStats(String key, Map<?, ?> root) {
        return new KeyInfo(
                key,
                entryOf(key, root.get("locks")).map(Standings::plainLock),
                entryOf(key, root.get("semaphores")).map(Standings::plainSemaphore));
    }

    private static Optional<Map<?, ?>> entryOf(String key, @Nullable Object entries) {
        for (var each : Json.array(entries)) {
            var entry = Json.object(each);
            if (key.equals(entry.get("key"))) {
                return Optional.of(entry);
            }
        }
        return Optional.empty();
    }

    private static Standing plainLock(Map<?, ?> entry) {
        long owner = Json.number(entry.get("owner_conn_id"));
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
        return new Standing(
                1,
                holders.size(),
                Json.number(entry.get("waiters")),
                holders,
                OptionalLong.empty());
    }

    private static Standing plainSemaphore(Map<?, ?> entry) {
        return new Standing(
                Json.number(entry.get("limit")),
                Json.number(entry.get("holders")),
                Json.number(entry.get("waiters")),
                List.of(),
                OptionalLong.empty());
    }
}
