package io.holdfast.cli.serve;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Parses flags as Go programs do: one dash or two; a value follows as the next argument or after an
 * equals sign, for switches only after an equals sign; parsing ends at the first argument that is
 * not a flag.
 */
final class GoFlags {
    /** A flag that cannot be parsed. The message is for the user. */
    static final class FlagException extends Exception {
        private static final long serialVersionUID = 1L;

        FlagException(String message) {
            super(message);
        }
    }

    /**
     * One flag of the command line.
     *
     * @param single whether it was written with one dash
     */
    record Flag(boolean single, String name, String value) {}

    /**
     * A parsed command line.
     *
     * @param rest the first argument that is not a flag, and all arguments after it
     */
    record Given(List<Flag> flags, List<String> rest) {}

    private GoFlags() {}

    /**
     * Returns the value of each flag; the last one if a flag is repeated.
     *
     * @param isSwitch returns whether the flag of that name is a switch; null for an unknown flag
     */
    static Map<String, String> parse(
            List<String> args, Function<String, @Nullable Boolean> isSwitch) throws FlagException {
        Map<String, String> given = new LinkedHashMap<>();
        for (Flag flag : parseAll(args, isSwitch).flags()) {
            given.put(flag.name(), flag.value());
        }
        return given;
    }

    /**
     * Returns all flags in their order, and the arguments after them.
     *
     * @param isSwitch returns whether the flag of that name is a switch; null for an unknown flag
     */
    static Given parseAll(List<String> args, Function<String, @Nullable Boolean> isSwitch)
            throws FlagException {
        List<Flag> given = new ArrayList<>();
        for (int i = 0; i < args.size(); i++) {
            String arg = args.get(i);
            if (arg.length() < 2 || arg.charAt(0) != '-' || arg.equals("--")) {
                return new Given(given, args.subList(i, args.size()));
            }
            String name = arg.substring(arg.charAt(1) == '-' ? 2 : 1);
            if (name.isEmpty() || name.startsWith("-") || name.startsWith("=")) {
                throw new FlagException("bad flag syntax: " + arg);
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
                } else if (++i < args.size()) {
                    value = args.get(i);
                } else {
                    throw new FlagException("flag needs an argument: -" + name);
                }
            }
            given.add(new Flag(arg.charAt(1) != '-', name, value));
        }
        return new Given(given, List.of());
    }
}
