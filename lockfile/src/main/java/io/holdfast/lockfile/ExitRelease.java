package io.holdfast.lockfile;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Releases what is still held when the JVM ends in order: by exit, or by SIGTERM or SIGINT. */
final class ExitRelease {
    private static final Set<Guard> HELD = ConcurrentHashMap.newKeySet();

    static {
        try {
            Runtime.getRuntime()
                    .addShutdownHook(
                            new Thread(
                                    () -> HELD.forEach(ExitRelease::close),
                                    "holdfast-lockfile-exit"));
        } catch (IllegalStateException e) {
            // The JVM is ending already.
        }
    }

    private ExitRelease() {}

    private static void close(Guard guard) {
        try {
            guard.closeAtExit();
        } catch (RuntimeException e) {
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
