package io.holdfast.cli.serve;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Reads flags the way Go programs do: one dash or two, a value behind a blank or an equals sign,
 * switches only alone or with an equals sign, and an end at the first word that is no flag.
 */
final class GoFlags {
    /** A flag that cannot be read. The message is for the user. */
    static final class FlagException extends Exception {
        private static final long serialVersionUID = 1L;

        FlagException(String message) {
            super(message);
        }
    }

    /**
     * One flag.
     *
     * @param single whether it had one dash
     */
    record Flag(boolean single, String name, String value) {}

    /**
     * What was given.
     *
     * @param rest the first word that is no flag, and all behind it
     */
    record Given(List<Flag> flags, List<String> rest) {}

    private GoFlags() {}

    /**
     * The flags that were given, the last of each.
     *
     * @param isSwitch whether the flag of that name is a switch; null if there is none
     */
    static Map<String, String> parse(
            List<String> words, Function<String, @Nullable Boolean> isSwitch) throws FlagException {
        Map<String, String> given = new LinkedHashMap<>();
        for (Flag flag : parseAll(words, isSwitch).flags()) {
            given.put(flag.name(), flag.value());
        }
        return given;
    }

    /**
     * All flags in their order, and what follows them.
     *
     * @param isSwitch whether the flag of that name is a switch; null if there is none
     */
    static Given parseAll(List<String> words, Function<String, @Nullable Boolean> isSwitch)
            throws FlagException {
        List<Flag> given = new ArrayList<>();
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (word.length() < 2 || word.charAt(0) != '-' || word.equals("--")) {
                return new Given(given, words.subList(i, words.size()));
            }
            String name = word.substring(word.charAt(1) == '-' ? 2 : 1);
            if (name.isEmpty() || name.startsWith("-") || name.startsWith("=")) {
                throw new FlagException("bad flag syntax: " + word);
            }
            int equals = name.indexOf('=');
            String value = equals < 0 ? null : name.substring(equals + 1);
            if (equals >= 0) {
                name = name.substring(0, equals);
            }
            Boolean aSwitch = isSwitch.apply(name);
            if (aSwitch == null) {
                throw new FlagException("flag provided but not defined: -" + name);
            }
            if (value == null) {
                if (aSwitch) {
                    value = "true";
                } else if (++i < words.size()) {
                    value = words.get(i);
                } else {
                    throw new FlagException("flag needs an argument: -" + name);
                }
            }
            given.add(new Flag(word.charAt(1) != '-', name, value));
        }
        return new Given(given, List.of());
    }
}
