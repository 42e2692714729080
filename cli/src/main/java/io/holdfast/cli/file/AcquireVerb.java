package io.holdfast.cli.file;

import picocli.CommandLine.Command;

@Command(name = "acquire", description = "Waits for the lock and takes it.")
final class AcquireVerb extends Verb {
    @Override
    int work(Report report) {
        report.info("Waiting for the lock: " + path);
        return untilSignal(signals -> handOver(acquire(lasting(report), report), signals, report));
    }
}
