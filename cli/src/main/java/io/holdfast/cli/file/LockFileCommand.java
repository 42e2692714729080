package io.holdfast.cli.file;

import io.holdfast.cli.options.FileNames;
import io.holdfast.cli.process.ProcessSignal;
import io.holdfast.cli.process.SignalRelay;
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

/** Something to do with one lock file. */
abstract class LockFileCommand implements Callable<Integer> {
    /** What may wait, and is given up at a signal by an {@link InterruptedException}. */
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
    abstract int work(OutcomeReport outcomeReport);

    @Override
    public final Integer call() {
        options.check(spec);
        OutcomeReport outcomeReport = options.report(path);
        try {
            return work(outcomeReport);
        } catch (LockFileException e) {
            return outcomeReport.failed(CommandFailure.of(e));
        } catch (InvalidPathException e) {
            return outcomeReport.failed(CommandFailure.badPath(FileNames.refused(path)));
        } catch (ParameterException e) {
            throw e;
        } catch (RuntimeException | Error e) {
            return outcomeReport.failed(
                    CommandFailure.unexpected(e)); // picocli's exit status would be "held"
        }
    }

    final FileSemaphore semaphore(LockFileConfig.Builder config) {
        return FileSemaphore.at(Path.of(path), config.build());
    }

    /** A lock that stays when this process ends. */
    final FileSemaphore lasting(OutcomeReport outcomeReport) {
        return semaphore(options.config(outcomeReport).heartbeat(false).releaseOnExit(false));
    }

    /** Waits, and says so if it may be in vain. */
    static Guard acquire(FileSemaphore semaphore, OutcomeReport outcomeReport)
            throws InterruptedException {
        LockFileStatus lockFileStatus = semaphore.status();
        if (lockFileStatus.isLocked() && lockFileStatus.content() == LockFileContent.FOREIGN) {
            outcomeReport.warning(
                    "there is "
                            + OutcomeReport.found(lockFileStatus)
                            + " at the path, which counts as held until somebody removes it");
        }
        lockFileStatus
                .holder()
                .ifPresent(
                        holder ->
                                outcomeReport.info(
                                        "Held by process "
                                                + holder.pid()
                                                + ", "
                                                + lockFileStatus.age().toSeconds()
                                                + " s old"));
        return semaphore.acquire();
    }

    /**
     * Leaves the lock to whoever called us, unless a signal told us to end, or they did not get the
     * nonce that they asked for.
     */
    static int handOver(Guard guard, SignalRelay signals, OutcomeReport outcomeReport)
            throws InterruptedException {
        if (signals.first().isPresent()) {
            guard.close();
            throw new InterruptedException();
        }
        int status = outcomeReport.acquired(guard);
        if (outcomeReport.isOutputClosed()) {
            guard.close();
            return outcomeReport.outputClosed();
        }
        guard.detach();
        signals.keep(); // too late to say that we were ended
        return status;
    }

    /** A signal gives the exit status that stands for it, and leaves nothing behind. */
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
