package io.holdfast.cli.serve;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Text with placeholders: {@code {name:type}} captures a value, {@code {name}} repeats a captured
 * value, {@code {{} and {@code }}} are braces.
 */
final class LinePattern {
    private static final Map<String, String> TYPES =
            Map.of(
                    "token", "[0-9a-f]{32}",
                    "int", "-?\\d+",
                    "num", "-?\\d+(?:\\.\\d+)?",
                    "word", "\\S+",
                    "any", ".*",
                    "addr", "\\S+:\\d+",
                    "json", "\\{.*\\}");
    private static final Pattern HOLE = Pattern.compile("\\{\\{|\\}\\}|\\{(\\w+)(?::(\\w+))?\\}");

    private final Pattern pattern;
    private final Map<String, Integer> groups = new LinkedHashMap<>();

    /** Returns the pattern of the line to receive, with the values captured before. */
    LinePattern(String text, Map<String, String> captured) {
        StringBuilder out = new StringBuilder();
        Matcher hole = HOLE.matcher(text);
        int last = 0;
        while (hole.find()) {
            out.append(Pattern.quote(text.substring(last, hole.start())));
            last = hole.end();
            String name = hole.group(1);
            String type = hole.group(2);
            if (name == null) {
                out.append(Pattern.quote(hole.group().substring(1)));
            } else if (type != null) {
                String form = TYPES.get(type);
                if (form == null) {
                    throw new ConversationMismatch("no such type: " + type);
                }
                out.append('(').append(form).append(')');
                groups.put(name, groups.size() + 1);
            } else if (groups.containsKey(name)) {
                out.append("(?:\\").append(groups.get(name)).append(')');
            } else {
                out.append(Pattern.quote(known(name, captured)));
            }
        }
        out.append(Pattern.quote(text.substring(last)));
        pattern = Pattern.compile(out.toString(), Pattern.DOTALL);
    }

    /** Returns the captured values if the whole line matches. */
    Optional<Map<String, String>> match(String line) {
        Matcher matcher = pattern.matcher(line);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        Map<String, String> found = new HashMap<>();
        groups.forEach((name, group) -> found.put(name, matcher.group(group)));
        return Optional.of(found);
    }

    /** Returns the text to send, with captured values for the placeholders. */
    static String fill(String text, Map<String, String> captured) {
        return HOLE.matcher(text)
                .replaceAll(
                        hole ->
                                Matcher.quoteReplacement(
                                        hole.group(1) == null
                                                ? hole.group().substring(1)
                                                : known(hole.group(1), captured)));
    }

    private static String known(String name, Map<String, String> captured) {
        String value = captured.get(name);
        if (value == null) {
            throw new ConversationMismatch("nothing was captured as " + name);
        }
        return value;
    }
}
