package io.holdfast.cli.options;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

import java.io.PrintWriter;

/** Tells what is wrong with the words of a command, and what they should be. */
public final class UsageError {
    private UsageError() {}

    /** With the whole help behind it. Returns the exit status. */
    public static int print(ParameterException e, String[] words) {
        CommandLine failed = e.getCommandLine();
        PrintWriter err = failed.getErr();
        err.println("Error: " + message(e));
        err.println();
        failed.usage(err);
        err.flush();
        return failed.getCommandSpec().exitCodeOnInvalidInput();
    }

    /** Says only where the help is: that of some commands fills a screen. */
    public static int printShort(ParameterException e, String[] words) {
        CommandLine failed = e.getCommandLine();
        PrintWriter err = failed.getErr();
        err.println("Error: " + message(e));
        err.println("Try '" + failed.getCommandSpec().qualifiedName() + " --help'.");
        err.flush();
        return failed.getCommandSpec().exitCodeOnInvalidInput();
    }

    private static @Nullable String message(ParameterException e) {
        if (e instanceof UnmatchedArgumentException unmatched && !unmatched.isUnknownOption()) {
            String word = unmatched.getUnmatched().getFirst();
            boolean verbs = !e.getCommandLine().getSubcommands().isEmpty();
            return (verbs ? "Unknown command: '" : "Unexpected argument: '") + word + "'";
        }
        return e.getMessage();
    }
}
