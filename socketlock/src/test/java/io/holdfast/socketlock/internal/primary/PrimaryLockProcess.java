package io.holdfast.socketlock.internal.primary;

import java.nio.file.Path;

/** A process that takes a primary lock, prints the result, and keeps it until its input ends. */
final class PrimaryLockProcess {
    private PrimaryLockProcess() {}

    public static void main(String[] arguments) throws Exception {
        PrimaryLock.Attempt attempt = PrimaryLock.tryTake(Path.of(arguments[0]));
        System.out.println(attempt.getClass().getSimpleName());
        while (System.in.read() >= 0) {
            // until the end
        }
        if (attempt instanceof PrimaryLock.Attempt.Taken taken) {
            taken.primaryLock().close();
        }
    }
}
