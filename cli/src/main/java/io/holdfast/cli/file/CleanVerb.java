package io.holdfast.cli.file;

import picocli.CommandLine.Command;

@Command(
        name = "clean",
        aliases = "cleanup",
        description = "Removes the lock if it is stale, and what crashed programs left beside it.")
final class CleanVerb extends Verb {
    @Override
    int work(Report report) {
        return report.cleaned(semaphore(options.config(report)).clean());
    }
}
