package io.holdfast.cli.file;

import picocli.CommandLine.Command;

@Command(name = "acquire", description = "Waits for the lock and acquires it.")
final class FileAcquireCommand extends LockFileCommand {
    @Override
    int work(FileCommandReport fileCommandReport) {
        fileCommandReport.info("Waiting for the lock: " + path);
        return untilSignal(
                signals ->
                        handOver(
                                acquire(lasting(fileCommandReport), fileCommandReport),
                                signals,
                                fileCommandReport));
    }
}
