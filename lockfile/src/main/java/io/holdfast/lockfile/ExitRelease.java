package io.holdfast.lockfile;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Releases what is still held when the JVM ends in order: by exit, or by SIGTERM or SIGINT. */
final class ExitRelease {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Set<Guard> HELD = ConcurrentHashMap.newKeySet();

    static {
        try {
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(ExitRelease::closeAll, "holdfast-lockfile-exit"));
        } catch (IllegalStateException e) {
            // The JVM is ending already.
        }
    }

    private ExitRelease() {}

    /** Within reason: a disk may hang, and so may a thread that wants to end the JVM itself. */
    private static void closeAll() {
        var closing = new Thread(() -> HELD.forEach(ExitRelease::close), "holdfast-lockfile-exit");
        closing.setDaemon(true);
        closing.start();
        try {
            closing.join(TIMEOUT.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void close(Guard guard) {
        try {
            guard.closeAtExit();
        } catch (RuntimeException | Error e) {
            guard.warn("the lock was not released at the end: " + e.getMessage());
        }
    }

    static void add(Guard guard) {
        HELD.add(guard);
    }

    static void remove(Guard guard) {
        HELD.remove(guard);
    }
}
