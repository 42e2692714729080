package io.holdfast.cli.file;

import io.holdfast.cli.process.ChildCommand;
import io.holdfast.cli.process.SignalRelay;
import io.holdfast.console.options.TrailingCommand;
import io.holdfast.lockfile.FileSemaphore;
import io.holdfast.lockfile.Guard;
import io.holdfast.lockfile.LockFileException;
import io.holdfast.lockfile.LockFileTimeoutException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.util.List;

@Command(
        name = "run",
        customSynopsis = "holdfast file run PATH [OPTIONS] -- COMMAND [ARGUMENTS...]",
        description = {
            "Waits for the lock and holds it while a command runs.",
            "",
            "Signals sent to holdfast, except SIGQUIT, are forwarded to the command. The exit"
                + " status is that of the command: 128 + N if signal N ended it, 127 if the command"
                + " was not found, 126 if it cannot be executed."
        })
final class FileRunCommand extends LockFileCommand {
    @Parameters(
            index = "1..*",
            paramLabel = "COMMAND",
            description = "The command and its arguments, after --.")
    private List<String> commandLine = List.of();

    @Override
    int work(FileCommandReport fileCommandReport) {
        ChildCommand command = new ChildCommand(TrailingCommand.of(spec, commandLine));
        FileSemaphore semaphore = semaphore(options.config(fileCommandReport));
        fileCommandReport.info("Waiting for the lock: " + path);
        return untilSignal(
                signals -> {
                    Guard guard;
                    try {
                        guard = acquire(semaphore, fileCommandReport);
                    } catch (LockFileTimeoutException e) {
                        int status = fileCommandReport.failed(FileCommandFailure.of(e));
                        return options.conflictStatus().orElse(status);
                    }
                    try {
                        fileCommandReport.info("Lock acquired, nonce " + guard.nonce());
                        return run(command, signals, fileCommandReport);
                    } finally {
                        release(guard, fileCommandReport);
                    }
                });
    }

    private static int run(
            ChildCommand command, SignalRelay signals, FileCommandReport fileCommandReport)
            throws InterruptedException {
        if (signals.first().isPresent()) {
            throw new InterruptedException();
        }
        try {
            return command.run(signals);
        } catch (ChildCommand.NotStartedException e) {
            fileCommandReport.alarm("Error: " + e.getMessage());
            return e.status();
        }
    }

    /** A failed release is only printed: the exit status stays the command's. */
    private static void release(Guard guard, FileCommandReport fileCommandReport) {
        try {
            guard.close();
        } catch (LockFileException e) {
            fileCommandReport.alarm("Error: the lock was not released: " + e.getMessage());
        }
    }
}
