package io.holdfast.cli.file;

import picocli.CommandLine.Command;

@Command(
        name = "try",
        aliases = "try-acquire",
        description = "Takes the lock if it is free or stale.")
final class TryVerb extends LockFileCommand {
    @Override
    int work(OutcomeReport outcomeReport) {
        outcomeReport.info("Trying to take the lock: " + path);
        return untilSignal(
                signals -> handOver(lasting(outcomeReport).acquireNow(), signals, outcomeReport));
    }
}
