package io.holdfast.cli.file;

import io.holdfast.lockfile.FileSemaphore;
import io.holdfast.lockfile.LockFileStatus;

import picocli.CommandLine.Command;

import java.time.Duration;

@Command(
        name = "wait",
        description = "Waits until the lock is free or stale, without acquiring it.")
final class FileWaitCommand extends LockFileCommand {
    @Override
    int work(FileCommandReport fileCommandReport) {
        fileCommandReport.info("Waiting for the lock to be released: " + path);
        Duration timeout = options.timeout();
        FileSemaphore semaphore = semaphore(options.config(fileCommandReport));
        return untilSignal(
                signals -> {
                    LockFileStatus lockFileStatus = semaphore.waitUntilFree(timeout);
                    return timeout == null || lockFileStatus.isObtainable()
                            ? fileCommandReport.free(lockFileStatus)
                            : fileCommandReport.failed(FileCommandFailure.waitTimeout(timeout));
                });
    }
}
