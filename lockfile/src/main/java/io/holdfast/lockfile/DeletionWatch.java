package io.holdfast.lockfile;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Waits for a file to be deleted. Where the system does not report deletions, or its limit of
 * watches is reached, {@link #await} waits for its full timeout.
 */
final class DeletionWatch implements AutoCloseable {
    private final @Nullable WatchKey key;
    private final String name;
    private final Semaphore signals = new Semaphore(0);

    private DeletionWatch(@Nullable WatchKey key, String name) {
        this.key = key;
        this.name = name;
    }

    /** Starts watching: a deletion after this call ends the next {@link #await}. */
    static DeletionWatch on(Path folder, String name) {
        return Service.watch(folder, name);
    }

    /** Waits until the file may have been deleted, or the time has passed. */
    void await(Duration time) throws InterruptedException {
        if (signals.tryAcquire(time.toNanos(), TimeUnit.NANOSECONDS)) {
            signals.drainPermits();
        }
    }

    @Override
    public void close() {
        Service.unregister(this);
    }

    /** The watch service, shared by the whole JVM because systems limit their number. */
    private static final class Service {
        @GuardedBy("Service.class")
        private static final Map<WatchKey, List<DeletionWatch>> WATCHES = new HashMap<>();

        @GuardedBy("Service.class")
        private static @Nullable WatchService service;

        @GuardedBy("Service.class")
        private static boolean failed;

        private Service() {}

        static synchronized DeletionWatch watch(Path folder, String name) {
            WatchKey key = register(folder);
            var watch = new DeletionWatch(key, name);
            if (key != null) {
                WATCHES.computeIfAbsent(key, unused -> new ArrayList<>()).add(watch);
            }
            return watch;
        }

        @GuardedBy("Service.class")
        private static @Nullable WatchKey register(Path folder) {
            if (failed || !folder.getFileSystem().equals(FileSystems.getDefault())) {
                return null;
            }
            try {
                WatchService watching = service;
                if (watching == null) {
                    watching = FileSystems.getDefault().newWatchService();
                    service = watching;
                    start(watching);
                }
                return folder.register(watching, StandardWatchEventKinds.ENTRY_DELETE);
            } catch (IOException e) {
                return null; // limit of watches reached; a later attempt may succeed
            } catch (UnsupportedOperationException e) {
                failed = true;
                return null;
            }
        }

        private static void start(WatchService watching) {
            var thread = new Thread(() -> listen(watching), "holdfast-lockfile-watch");
            thread.setDaemon(true);
            thread.start();
        }

        static synchronized void unregister(DeletionWatch watch) {
            List<DeletionWatch> others = WATCHES.get(watch.key);
            if (others != null && others.remove(watch) && others.isEmpty()) {
                WATCHES.remove(watch.key);
                if (watch.key != null) {
                    watch.key.cancel();
                }
            }
        }

        private static void listen(WatchService watching) {
            try {
                while (true) {
                    WatchKey key = watching.take();
                    key.pollEvents().forEach(event -> notifyWatches(key, event));
                    key.reset();
                }
            } catch (InterruptedException | ClosedWatchServiceException e) {
                // Neither is expected. Without this thread, waiters poll.
            }
        }

        private static synchronized void notifyWatches(WatchKey key, WatchEvent<?> event) {
            boolean overflow = event.kind().equals(StandardWatchEventKinds.OVERFLOW);
            String deleted = String.valueOf(event.context());
            for (DeletionWatch watch : WATCHES.getOrDefault(key, List.of())) {
                if (overflow || watch.name.equals(deleted)) {
                    watch.signals.release();
                }
            }
        }
    }
}
