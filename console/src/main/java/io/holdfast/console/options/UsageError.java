package io.holdfast.console.options;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

import java.io.PrintWriter;

/** Prints usage errors. */
public final class UsageError {
    private UsageError() {}

    /** Prints the error, then the complete help. Returns the exit status. */
    public static int print(ParameterException e, String[] args) {
        CommandLine failed = e.getCommandLine();
        PrintWriter err = failed.getErr();
        err.println("Error: " + message(e));
        err.println();
        failed.usage(err);
        err.flush();
        return failed.getCommandSpec().exitCodeOnInvalidInput();
    }

    /** Prints the error, then how to get the help, which fills a screen for some commands. */
    public static int printShort(ParameterException e, String[] args) {
        CommandLine failed = e.getCommandLine();
        PrintWriter err = failed.getErr();
        err.println("Error: " + message(e));
        err.println("Try '" + failed.getCommandSpec().qualifiedName() + " --help'.");
        err.flush();
        return failed.getCommandSpec().exitCodeOnInvalidInput();
    }

    private static @Nullable String message(ParameterException e) {
        if (e instanceof UnmatchedArgumentException unmatched && !unmatched.isUnknownOption()) {
            String argument = unmatched.getUnmatched().getFirst();
            boolean verbs = !e.getCommandLine().getSubcommands().isEmpty();
            return (verbs ? "Unknown command: '" : "Unexpected argument: '") + argument + "'";
        }
        return e.getMessage();
    }
}
