package io.holdfast.lockfile;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Releases all held locks when the JVM shuts down regularly: by exit, or by SIGTERM or SIGINT. */
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

    /**
     * Waits for at most {@link #TIMEOUT}, since a disk may hang, and a thread that is itself in
     * {@code System.exit} may hold a guard's monitor.
     */
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
            guard.warn("could not release the lock at exit: " + e.getMessage());
        }
    }

    static void add(Guard guard) {
        HELD.add(guard);
    }

    static void remove(Guard guard) {
        HELD.remove(guard);
    }
}
