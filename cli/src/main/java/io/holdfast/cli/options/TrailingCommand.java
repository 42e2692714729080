package io.holdfast.cli.options;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

import java.util.List;

/** A command to run, which stands behind {@code --} at the end of ours. */
public final class TrailingCommand {
    private static final String SEPARATOR = "--";

    /** What stands for bytes that are no text in this locale. */
    private static final String REPLACEMENT = "\ufffd";

    private TrailingCommand() {}

    /**
     * All words behind the separator, which picocli has taken away.
     *
     * @param last the positional parameters that it left for the command
     */
    public static List<String> of(CommandSpec spec, List<String> last) {
        List<String> command =
                last.isEmpty() || !last.getFirst().equals(SEPARATOR)
                        ? last
                        : last.subList(1, last.size()); // of two: the other ended the options
        List<String> all = spec.commandLine().getParseResult().originalArgs();
        int separator = all.size() - command.size() - 1;
        if (separator < 0 || !all.get(separator).equals(SEPARATOR)) {
            throw new ParameterException(spec.commandLine(), "Put the command after --");
        }
        if (command.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "A command to run is missing");
        }
        for (String word : command) {
            if (!isText(word)) {
                throw noText(spec, word);
            }
        }
        return command;
    }

    public static boolean isText(String word) {
        return !word.contains(REPLACEMENT);
    }

    public static ParameterException noText(CommandSpec spec, String word) {
        return new ParameterException(
                spec.commandLine(),
                "Cannot pass on '"
                        + word
                        + "', which is no text in this locale: try LC_ALL=C.UTF-8");
    }
}
