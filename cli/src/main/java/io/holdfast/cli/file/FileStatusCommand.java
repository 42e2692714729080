package io.holdfast.cli.file;

import picocli.CommandLine.Command;

@Command(
        name = "status",
        description = "Shows the holder of the lock. Exit status 0: free, 1: held.")
final class FileStatusCommand extends LockFileCommand {
    @Override
    int work(FileCommandReport fileCommandReport) {
        return fileCommandReport.status(semaphore(options.config(fileCommandReport)).status());
    }
}
