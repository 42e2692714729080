package io.holdfast.console.options;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

import java.util.List;

/** The command to run, given after {@code --} at the end of the command line. */
public final class TrailingCommand {
    private static final String SEPARATOR = "--";

    /** The JVM decodes bytes that are not text in this locale to this character. */
    private static final String REPLACEMENT = "\ufffd";

    private TrailingCommand() {}

    /**
     * Returns all arguments after the separator, which picocli has removed.
     *
     * @param last the last positional parameters of the command, as picocli has parsed them
     */
    public static List<String> of(CommandSpec spec, List<String> last) {
        List<String> command =
                last.isEmpty() || !last.getFirst().equals(SEPARATOR)
                        ? last
                        : last.subList(1, last.size()); // picocli removes the first of two
        List<String> all = spec.commandLine().getParseResult().originalArgs();
        int separator = all.size() - command.size() - 1;
        if (separator < 0 || !all.get(separator).equals(SEPARATOR)) {
            throw new ParameterException(spec.commandLine(), "Put the command after --");
        }
        if (command.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "A command to run is missing");
        }
        for (String argument : command) {
            if (!isText(argument)) {
                throw noText(spec, argument);
            }
        }
        return command;
    }

    public static boolean isText(String text) {
        return !text.contains(REPLACEMENT);
    }

    public static ParameterException noText(CommandSpec spec, String text) {
        return new ParameterException(
                spec.commandLine(),
                "Cannot pass on '"
                        + text
                        + "', which is not text in this locale: try LC_ALL=C.UTF-8");
    }
}
