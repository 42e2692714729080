package io.holdfast.cli.file;

import io.holdfast.lockfile.FileSemaphore;
import io.holdfast.lockfile.ReleaseCredential;

import picocli.CommandLine.Command;

@Command(name = "release", description = "Releases the lock, whichever process holds it.")
final class FileReleaseCommand extends LockFileCommand {
    @Override
    int work(FileCommandReport fileCommandReport) {
        FileSemaphore semaphore = semaphore(options.config(fileCommandReport));
        boolean held = options.force() ? semaphore.forceRelease() : semaphore.release(credential());
        fileCommandReport.info(held ? "The lock was held" : "The lock was free before");
        return fileCommandReport.released();
    }

    private ReleaseCredential credential() {
        return options.nonce()
                .map(ReleaseCredential::nonce)
                .or(() -> options.pid().map(ReleaseCredential::pid))
                .orElseGet(ReleaseCredential::none);
    }
}
