package io.holdfast.cli.file;

import picocli.CommandLine.Command;

@Command(
        name = "clean",
        aliases = "cleanup",
        description =
                "Removes the lock if it is stale, and files that crashed programs left beside it.")
final class FileCleanCommand extends LockFileCommand {
    @Override
    int work(FileCommandReport fileCommandReport) {
        return fileCommandReport.cleaned(semaphore(options.config(fileCommandReport)).clean());
    }
}
