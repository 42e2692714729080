package io.holdfast.lockd;

import java.util.function.Function;

/** Responses for scripted servers. */
final class ScriptedReplies {
    static final String STATS =
            """
            command_d: 0
            command_g: 12
            connections: 1
            orphans: 3
            shared_locks: 0
            shared_orphans: 4
            """;

    private ScriptedReplies() {}

    /** The responses of a server that grants every request and has no other holds. */
    static String plain(String line) {
        String word = line.split(" ", 2)[0];
        String name = line.contains(" ") ? line.split(" ", 2)[1] : "";
        return switch (word) {
            case "g" -> "1 Lock Get Success: " + name + "\r\n";
            case "r" -> "1 Lock Release Success: " + name + "\n";
            case "i" -> "0 Lock Not Locked: " + name + "\r\n";
            case "sg" -> "1 Shared Lock Get Success: " + name + "\r\n";
            case "sr" -> "1 Shared Lock Release Success: " + name + "\r\n";
            case "si" -> "0 Shared Lock Not Locked: " + name + "\r\n";
            case "me" -> "1 127.0.0.1:4711 127.0.0.1:4711\n";
            case "iam" -> "1 ok\n";
            case "q" -> STATS;
            default -> "";
        };
    }

    /** As {@link #plain}, but with another response to one line. */
    static Function<String, String> to(String line, String response) {
        return request -> request.equals(line) ? response : plain(request);
    }
}
