package io.holdfast.cli.file;

import io.holdfast.lockfile.FileSemaphore;
import io.holdfast.lockfile.ReleaseCredential;

import picocli.CommandLine.Command;

@Command(name = "release", description = "Releases the lock, whoever holds it.")
final class ReleaseVerb extends Verb {
    @Override
    int work(Report report) {
        FileSemaphore semaphore = semaphore(options.config(report));
        boolean held = options.force() ? semaphore.forceRelease() : semaphore.release(proof());
        report.info(held ? "The lock was held" : "The lock was free before");
        return report.released();
    }

    private ReleaseCredential proof() {
        return options.nonce()
                .map(ReleaseCredential::nonce)
                .or(() -> options.pid().map(ReleaseCredential::pid))
                .orElseGet(ReleaseCredential::none);
    }
}
