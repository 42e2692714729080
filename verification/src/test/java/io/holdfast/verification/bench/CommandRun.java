package io.holdfast.verification.bench;

import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;

/** A finished run of a command: its exit status and what it printed. */
public record CommandRun(int status, String out, String err) {
    public static CommandRun of(Object command, String... arguments) {
        var out = new StringWriter();
        var err = new StringWriter();
        int status =
                new CommandLine(command)
                        .setOut(new PrintWriter(out))
                        .setErr(new PrintWriter(err))
                        .execute(arguments);
        return new CommandRun(status, out.toString(), err.toString());
    }
}
