package io.holdfast.cli.file;

import picocli.CommandLine.Command;

@Command(
        name = "try",
        aliases = "try-acquire",
        description = "Takes the lock if it is free or stale.")
final class TryVerb extends Verb {
    @Override
    int work(Report report) {
        report.info("Trying to take the lock: " + path);
        return untilSignal(signals -> handOver(lasting(report).acquireNow(), signals, report));
    }
}
