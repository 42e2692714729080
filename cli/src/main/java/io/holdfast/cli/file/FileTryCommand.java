package io.holdfast.cli.file;

import picocli.CommandLine.Command;

@Command(
        name = "try",
        aliases = "try-acquire",
        description = "Acquires the lock if it is free or stale, without waiting.")
final class FileTryCommand extends LockFileCommand {
    @Override
    int work(FileCommandReport fileCommandReport) {
        fileCommandReport.info("Trying to acquire the lock: " + path);
        return untilSignal(
                signals ->
                        handOver(
                                lasting(fileCommandReport).acquireNow(),
                                signals,
                                fileCommandReport));
    }
}
