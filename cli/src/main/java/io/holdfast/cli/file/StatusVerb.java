package io.holdfast.cli.file;

import picocli.CommandLine.Command;

@Command(name = "status", description = "Tells who holds the lock. Exit status 0: free, 1: held.")
final class StatusVerb extends Verb {
    @Override
    int work(Report report) {
        return report.status(semaphore(options.config(report)).status());
    }
}
