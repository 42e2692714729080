package io.holdfast.cli.file;

import picocli.CommandLine.Command;

@Command(
        name = "clean",
        aliases = "cleanup",
        description =
                "Removes the lock if it is stale, and files that crashed programs left beside it.")
final class FileCleanCommand extends LockFileCommand {
    @Override
    int work(OutcomeReport outcomeReport) {
        return outcomeReport.cleaned(semaphore(options.config(outcomeReport)).clean());
    }
}
