package io.holdfast.verification.soak;

import io.holdfast.verification.bench.LineServer.Request;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Channels, patterns and queue groups of a fake server. Guarded by its own monitor. */
class CorrectSignals {
    /** A registration of a listener; {@code group} is empty for none. */
    record Registration(int connection, String pattern, String group) {
        boolean isExact() {
            return !pattern.contains("*") && !pattern.endsWith(">");
        }

        boolean matches(String channel) {
            var form = new StringBuilder();
            for (var token : pattern.split("\\.", -1)) {
                form.append(form.isEmpty() ? "" : "\\.")
                        .append(
                                switch (token) {
                                    case "*" -> "[^.]*";
                                    case ">" -> ".*";
                                    default -> Pattern.quote(token);
                                });
            }
            return channel.matches(form.toString());
        }
    }

    /** Sends a line on a connection; may be called from any thread. */
    interface Pusher {
        void push(int connection, String line);
    }

    private record Group(String pattern, String name) {}

    private final Set<Registration> registrations = new LinkedHashSet<>();
    private final Map<Group, Integer> turns = new HashMap<>();
    private Pusher pusher = (_, _) -> {};

    final void pushWith(Pusher other) {
        pusher = other;
    }

    /** Delivers one signal to one listener; called with the monitor held. */
    void deliver(Registration receiver, String channel, String payload) {
        push(receiver.connection(), channel, payload);
    }

    /** Chooses the next member of a group; called with the monitor held. */
    Registration choose(List<Registration> members, int turn) {
        return members.get(turn % members.size());
    }

    final void push(int connection, String channel, String payload) {
        pushLine(connection, "sig " + channel + " " + payload);
    }

    final void pushLine(int connection, String line) {
        pusher.push(connection, line);
    }

    final synchronized List<Registration> registrations() {
        return List.copyOf(registrations);
    }

    final synchronized String answer(Request request) {
        var registration =
                new Registration(request.connection(), request.key(), request.argument());
        return switch (request.command()) {
            case "listen" -> {
                registrations.add(registration);
                yield "ok";
            }
            case "unlisten" -> {
                registrations.remove(registration);
                yield "ok";
            }
            default -> "ok " + signal(request.key(), request.argument());
        };
    }

    final synchronized void ended(int connection) {
        registrations.removeIf(registration -> registration.connection == connection);
    }

    final synchronized String stats() {
        var entries = new ArrayList<String>();
        for (var registration : registrations) {
            entries.add("{\"pattern\":\"" + registration.pattern + "\",\"listeners\":1}");
        }
        return "[" + String.join(",", entries) + "]";
    }

    private int signal(String channel, String payload) {
        var receivers = new LinkedHashMap<Integer, Registration>();
        for (boolean exact : new boolean[] {true, false}) {
            var groups = new LinkedHashMap<Group, List<Registration>>();
            for (var registration : registrations) {
                if (registration.isExact() != exact || !registration.matches(channel)) {
                    continue;
                }
                if (registration.group.isEmpty()) {
                    receivers.putIfAbsent(registration.connection, registration);
                } else {
                    groups.computeIfAbsent(
                                    new Group(registration.pattern, registration.group),
                                    _ -> new ArrayList<>())
                            .add(registration);
                }
            }
            groups.forEach(
                    (group, members) -> {
                        int turn = turns.merge(group, 1, Integer::sum) - 1;
                        var chosen = choose(members, turn);
                        receivers.putIfAbsent(chosen.connection, chosen);
                    });
        }
        for (var receiver : receivers.values()) {
            deliver(receiver, channel, payload);
        }
        return receivers.size();
    }
}
