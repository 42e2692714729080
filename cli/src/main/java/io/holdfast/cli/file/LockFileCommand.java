package io.holdfast.cli.file;

import io.holdfast.cli.process.ProcessSignal;
import io.holdfast.cli.process.SignalRelay;
import io.holdfast.console.options.FileNames;
import io.holdfast.lockfile.FileSemaphore;
import io.holdfast.lockfile.Guard;
import io.holdfast.lockfile.LockFileConfig;
import io.holdfast.lockfile.LockFileContent;
import io.holdfast.lockfile.LockFileException;
import io.holdfast.lockfile.LockFileStatus;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/** A command of {@code holdfast file}: one operation on one lock file. */
abstract class LockFileCommand implements Callable<Integer> {
    /** An operation that may wait; a signal interrupts it. */
    interface Waiting {
        int run(SignalRelay signals) throws InterruptedException;
    }

    @Spec
    @SuppressWarnings("NullAway.Init")
    CommandSpec spec;

    @ParentCommand
    @SuppressWarnings("NullAway.Init")
    FileCommand options;

    @Parameters(index = "0", paramLabel = "PATH", description = "The lock file.")
    @SuppressWarnings("NullAway.Init")
    String path;

    /** Returns the exit status. */
    abstract int work(FileCommandReport fileCommandReport);

    @Override
    public final Integer call() {
        options.check(spec);
        FileCommandReport fileCommandReport = options.report(path);
        try {
            return work(fileCommandReport);
        } catch (LockFileException e) {
            return fileCommandReport.failed(FileCommandFailure.of(e));
        } catch (InvalidPathException e) {
            return fileCommandReport.failed(FileCommandFailure.badPath(FileNames.refused(path)));
        } catch (ParameterException e) {
            throw e;
        } catch (RuntimeException | Error e) {
            // picocli's exit status for exceptions would be 1, which means "held"
            return fileCommandReport.failed(FileCommandFailure.unexpected(e));
        }
    }

    final FileSemaphore semaphore(LockFileConfig.Builder config) {
        return FileSemaphore.at(Path.of(path), config.build());
    }

    /** Returns a lock that stays when this process ends. */
    final FileSemaphore lasting(FileCommandReport fileCommandReport) {
        return semaphore(options.config(fileCommandReport).heartbeat(false).releaseOnExit(false));
    }

    /** Waits for the lock; warns if a foreign file at the path may block it without limit. */
    static Guard acquire(FileSemaphore semaphore, FileCommandReport fileCommandReport)
            throws InterruptedException {
        LockFileStatus lockFileStatus = semaphore.status();
        if (lockFileStatus.isLocked() && lockFileStatus.content() == LockFileContent.FOREIGN) {
            fileCommandReport.warning(
                    "there is "
                            + FileCommandReport.found(lockFileStatus)
                            + " at the path, which counts as held until it is removed");
        }
        lockFileStatus
                .holder()
                .ifPresent(
                        holder ->
                                fileCommandReport.info(
                                        "Held by process "
                                                + holder.pid()
                                                + ", "
                                                + lockFileStatus.age().toSeconds()
                                                + " s old"));
        return semaphore.acquire();
    }

    /**
     * Leaves the lock to the calling process. Releases it instead if a termination signal has
     * arrived, or if the nonce could not be written to standard output.
     */
    static int handOver(Guard guard, SignalRelay signals, FileCommandReport fileCommandReport)
            throws InterruptedException {
        if (signals.first().isPresent()) {
            guard.close();
            throw new InterruptedException();
        }
        int status = fileCommandReport.acquired(guard);
        if (fileCommandReport.isOutputClosed()) {
            guard.close();
            return fileCommandReport.outputClosed();
        }
        guard.detach();
        signals.keep(); // a signal from now on must not change the exit status
        return status;
    }

    /** Runs the operation; a signal interrupts it and gives the exit status 128 + signal number. */
    static int untilSignal(Waiting work) {
        try (SignalRelay signals = SignalRelay.open()) {
            try {
                return work.run(signals);
            } catch (InterruptedException e) {
                return signals.first()
                        .map(ProcessSignal::status)
                        .orElseGet(ProcessSignal.INT::status);
            }
        }
    }
}
