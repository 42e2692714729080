package io.holdfast.cli.docs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Compares lines with those of a page. {@code TOKEN}, {@code TOKEN1} and so on are placeholders of
 * tokens: the same placeholder is the same token throughout an example, different placeholders are
 * different tokens. {@code ADDRESS}, {@code ADDRESS1} and so on are placeholders of addresses with
 * a port, {@code SECONDS} of a number.
 */
final class Expectation {
    private static final Pattern PLACEHOLDER =
            Pattern.compile("\\b((?:TOKEN|ADDRESS)[1-9]?|SECONDS)\\b");
    private static final String TOKEN = "([0-9a-f]{32})";
    private static final String ADDRESS = "(127\\.0\\.0\\.1:[0-9]+)";
    private static final String SECONDS = "[0-9]+(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?";

    private final Map<String, String> known = new HashMap<>();

    boolean matches(String expected, String seen) {
        List<String> names = new ArrayList<>();
        StringBuilder pattern = new StringBuilder();
        Matcher placeholder = PLACEHOLDER.matcher(expected);
        int from = 0;
        while (placeholder.find()) {
            pattern.append(Pattern.quote(expected.substring(from, placeholder.start())));
            if (placeholder.group().equals("SECONDS")) {
                pattern.append(SECONDS);
            } else {
                pattern.append(placeholder.group().startsWith("TOKEN") ? TOKEN : ADDRESS);
                names.add(placeholder.group());
            }
            from = placeholder.end();
        }
        pattern.append(Pattern.quote(expected.substring(from)));
        Matcher matcher = Pattern.compile(pattern.toString()).matcher(seen);
        return matcher.matches() && agrees(names, matcher);
    }

    private boolean agrees(List<String> names, Matcher matcher) {
        for (int i = 0; i < names.size(); i++) {
            String value = matcher.group(i + 1);
            String before = known.get(names.get(i));
            if (before == null ? known.containsValue(value) : !before.equals(value)) {
                return false;
            }
            known.put(names.get(i), value);
        }
        return true;
    }

    /** Replaces placeholders in text to type by their captured values. */
    String filled(String text) {
        return PLACEHOLDER
                .matcher(text)
                .replaceAll(
                        found -> {
                            String value = known.get(found.group());
                            if (value == null) {
                                throw new IllegalArgumentException(
                                        "nobody was given a " + found.group());
                            }
                            return value;
                        });
    }
}
