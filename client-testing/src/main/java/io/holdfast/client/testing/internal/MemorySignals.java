package io.holdfast.client.testing.internal;

import io.holdfast.client.internal.service.SignalSink;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** The subscriptions of all clients. Guarded by the server's monitor. */
final class MemorySignals {
    /** A subscription of one client. */
    record Listener(MemoryService service, String pattern, String group, SignalSink sink) {
        boolean isExact() {
            return !pattern.contains("*") && !pattern.contains(">");
        }
    }

    private record Group(String pattern, String name) {}

    private final Set<Listener> listeners = new LinkedHashSet<>();
    private final Map<Group, Integer> turns = new HashMap<>();

    void add(Listener listener) {
        listeners.add(listener);
    }

    void remove(Listener listener) {
        listeners.remove(listener);
        turns.keySet()
                .removeIf(
                        group ->
                                listeners.stream()
                                        .noneMatch(
                                                other ->
                                                        other.group().equals(group.name())
                                                                && other.pattern()
                                                                        .equals(group.pattern())));
    }

    /**
     * Delivers a signal at most once to each client, and to one client of each queue group. Returns
     * the number of receiving clients.
     */
    int send(String channel, String payload, Consumer<Runnable> effects) {
        var served = new LinkedHashSet<MemoryService>();
        for (boolean exact : new boolean[] {true, false}) {
            var groups = new LinkedHashMap<Group, List<Listener>>();
            for (var listener : listeners) {
                if (listener.isExact() != exact || !matches(listener.pattern(), channel)) {
                    continue;
                }
                if (listener.group().isEmpty()) {
                    served.add(listener.service());
                    effects.accept(() -> listener.sink().signal(channel, payload));
                } else {
                    groups.computeIfAbsent(
                                    new Group(listener.pattern(), listener.group()),
                                    key -> new ArrayList<>())
                            .add(listener);
                }
            }
            groups.forEach(
                    (group, members) ->
                            sendToOne(group, members, served, channel, payload, effects));
        }
        return served.size();
    }

    private void sendToOne(
            Group group,
            List<Listener> members,
            Set<MemoryService> served,
            String channel,
            String payload,
            Consumer<Runnable> effects) {
        int turn = turns.merge(group, 1, Integer::sum) - 1;
        for (int i = 0; i < members.size(); i++) {
            var member = members.get(Math.floorMod(turn + i, members.size()));
            if (served.add(member.service())) {
                effects.accept(() -> member.sink().signal(channel, payload));
                return;
            }
        }
    }

    static boolean isPattern(String pattern) {
        var parts = pattern.split("\\.", -1);
        for (int i = 0; i < parts.length; i++) {
            boolean wild = parts[i].contains("*") || parts[i].contains(">");
            boolean rest = parts[i].equals(">") && i == parts.length - 1;
            if (wild && !parts[i].equals("*") && !rest) {
                return false;
            }
        }
        return true;
    }

    private static boolean matches(String pattern, String channel) {
        var patternParts = pattern.split("\\.", -1);
        var parts = channel.split("\\.", -1);
        for (int i = 0; i < patternParts.length; i++) {
            if (patternParts[i].equals(">")) {
                return parts.length > i;
            }
            if (i >= parts.length
                    || !(patternParts[i].equals("*") || patternParts[i].equals(parts[i]))) {
                return false;
            }
        }
        return patternParts.length == parts.length;
    }
}
