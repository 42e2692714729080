package io.holdfast.cli.serve;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A recorded conversation between named clients and one server. Its text has one character per
 * byte, so that the bytes of the file are sent unchanged.
 *
 * @param serve the options of the server
 * @param connect the listener it was recorded on, empty for TCP
 */
record ConversationScript(
        String name, String title, List<String> serve, String connect, List<String> lines) {
    static ConversationScript read(Path file) throws IOException {
        return of(
                String.valueOf(file.getFileName()),
                Files.readString(file, StandardCharsets.ISO_8859_1));
    }

    static ConversationScript of(String name, String text) {
        List<String> lines = text.lines().toList();
        String serve = header(lines, "@serve");
        if (serve.matches(".*['\"\\\\].*")) {
            throw new IllegalArgumentException(name + ": quotes in @serve are not understood");
        }
        return new ConversationScript(
                name,
                header(lines, "@title"),
                serve.isEmpty() ? List.of() : List.of(serve.split("\\s+")),
                header(lines, "@connect"),
                lines);
    }

    private static String header(List<String> lines, String name) {
        return lines.stream()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()).strip())
                .findFirst()
                .orElse("");
    }
}
