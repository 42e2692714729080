package io.holdfast.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.driver.FailureText;
import io.holdfast.server.connection.ConnectionService;
import io.holdfast.server.connection.SessionGraces;
import io.holdfast.server.listener.StartException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Grants graces that a later start of the server can read: the longest is in the run files before
 * it is granted. So a start after a crash can wait until no client relies on holds of the earlier
 * run.
 *
 * <p>The lock {@code disk} guards the files and what is known about their last write; graces are
 * written by a thread that exists only while there is something to write. The monitor of this
 * object guards the graces and is never held while a grace is written. The thread takes it under
 * {@code disk}, never the other way round.
 */
final class RunFileGraces implements SessionGraces {
    private static final Logger LOG = LoggerFactory.getLogger(RunFileGraces.class);
    private static final long NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long CLOSE_SECONDS = 2;

    /** A grace that is granted when the files contain it. */
    private record PendingGrace(long nanos, CompletableFuture<Long> granted) {}

    private final RestartQuarantineConfig config;
    private final long maxNanos;
    private final String run = UUID.randomUUID().toString();
    private final ReentrantLock disk = new ReentrantLock();

    @GuardedBy("this")
    private List<PendingGrace> waiting = new ArrayList<>();

    @GuardedBy("this")
    private boolean writing;

    /** Set by {@link #open}, before a grace is granted. */
    private volatile List<RunFile> files = List.of();

    /** Whether this run wrote the files last. */
    @GuardedBy("disk")
    private boolean own;

    @GuardedBy("disk")
    private boolean closed;

    /** Whether run files are kept; if not, graces are granted as if they were written. */
    @GuardedBy("this")
    private boolean kept;

    /** The grace of an earlier run, while the quarantine lasts. */
    @GuardedBy("this")
    private long leftSeconds;

    @GuardedBy("this")
    private boolean quarantineEnded;

    /** The longest grace of this run. */
    @GuardedBy("this")
    private long grantedSeconds;

    /** The grace in the files. */
    @GuardedBy("this")
    private long recordedSeconds;

    @GuardedBy("disk")
    private boolean failing;

    RunFileGraces(RestartQuarantineConfig config, Duration max) {
        this.config = config;
        this.maxNanos = ConnectionService.nanos(max);
    }

    /**
     * Reads the run files of earlier runs, and keeps run files from now on.
     *
     * @param listeners addresses at which clients with a grace connect; only those with a fixed
     *     port
     * @return how long nothing may be granted
     */
    synchronized Duration open(List<InetSocketAddress> listeners) throws StartException {
        if (listeners.isEmpty()) {
            return Duration.ZERO;
        }
        Path directory = config.stateDir();
        if (directory == null) {
            warn("there is no state directory");
            return Duration.ZERO;
        }
        files = listeners.stream().map(at -> new RunFile(directory, at, run)).toList();
        return read(directory);
    }

    /**
     * Reads the run files again, before the first grace is granted.
     *
     * @return how long nothing may be granted; never shorter than before
     */
    synchronized Duration reread() throws StartException {
        Path directory = config.stateDir();
        return kept && directory != null ? read(directory) : Duration.ZERO;
    }

    @GuardedBy("this")
    private Duration read(Path directory) throws StartException {
        try {
            createDirectory(directory);
            for (RunFile file : files) {
                leftSeconds = Math.max(leftSeconds, leftIn(file));
            }
            kept = true;
            recordedSeconds = leftSeconds;
        } catch (IOException e) {
            String problem =
                    "cannot use the state directory "
                            + directory
                            + ": "
                            + FailureText.of(e, directory);
            if (config.required()) {
                throw new StartException(problem, e);
            }
            warn(problem);
            kept = false;
        }
        return Duration.ofSeconds(leftSeconds);
    }

    private static void warn(String problem) {
        LOG.warn(
                "{}; a restart after a crash will grant locks at once (choose a directory with"
                        + " --state-dir, or --restart-quarantine 0)",
                problem);
    }

    /** Creates the directory, accessible to its owner alone. */
    private static void createDirectory(Path directory) throws IOException {
        boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
        FileAttribute<?>[] attributes =
                posix
                        ? new FileAttribute<?>[] {
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rwx------"))
                        }
                        : new FileAttribute<?>[0];
        if (!Files.isDirectory(directory)) {
            Path _ = Files.createDirectories(directory, attributes);
        }
        if (!Files.isDirectory(directory)) {
            throw new NotDirectoryException(directory.toString());
        }
        if (!Files.isWritable(directory)) {
            throw new IOException("permission denied");
        }
    }

    @GuardedBy("this")
    private long leftIn(RunFile file) throws IOException {
        long max = config.longestQuarantine().toSeconds();
        try {
            return Math.min(file.leftSeconds(), max);
        } catch (RunFile.DamagedException e) {
            long assumed = Math.min(seconds(maxNanos), max);
            if (assumed > leftSeconds) { // else it changes nothing, or is already logged
                LOG.atWarn()
                        .addKeyValue("file", file.path())
                        .addKeyValue("reason", e.getMessage())
                        .addKeyValue("seconds", assumed)
                        .log("damaged run file; assuming the maximum session grace");
            }
            return assumed;
        }
    }

    private static long seconds(long nanos) {
        return nanos / NANOS_PER_SECOND + (nanos % NANOS_PER_SECOND == 0 ? 0 : 1);
    }

    @Override
    public synchronized CompletableFuture<Long> grant(long requestedNanos) {
        long nanos = Math.min(requestedNanos, maxNanos);
        if (!kept || seconds(nanos) <= Math.min(grantedSeconds, recordedSeconds)) {
            return CompletableFuture.completedFuture(nanos);
        }
        PendingGrace entry = new PendingGrace(nanos, new CompletableFuture<>());
        waiting.add(entry);
        startWriter();
        return entry.granted;
    }

    /** No client relies on a grace of an earlier run any more. */
    synchronized void endQuarantine() {
        leftSeconds = 0;
        quarantineEnded = true;
        startWriter();
    }

    @GuardedBy("this")
    private void startWriter() {
        if (!writing) {
            Thread _ = Thread.ofPlatform().daemon().name("holdfast-run-file").start(this::write);
            writing = true; // the thread cannot have read it yet: it needs our monitor
        }
    }

    private void write() {
        while (true) {
            disk.lock();
            try {
                List<PendingGrace> batch;
                long granted;
                long toRecord;
                synchronized (this) {
                    if (waiting.isEmpty() && !quarantineEnded) {
                        writing = false;
                        return;
                    }
                    batch = waiting;
                    waiting = new ArrayList<>();
                    quarantineEnded = false;
                    granted = grantedSeconds;
                    for (PendingGrace entry : batch) {
                        granted = Math.max(granted, seconds(entry.nanos));
                    }
                    toRecord = Math.max(granted, leftSeconds);
                }
                // A file of another run is written again: that run may still remove it.
                boolean written = (own && toRecord == recorded()) || record(toRecord);
                long limit;
                synchronized (this) {
                    if (written) {
                        grantedSeconds = granted;
                        recordedSeconds = toRecord;
                    }
                    limit = grantedSeconds * NANOS_PER_SECOND;
                }
                batch.forEach(entry -> entry.granted.complete(Math.min(entry.nanos, limit)));
            } finally {
                disk.unlock();
            }
        }
    }

    private synchronized long recorded() {
        return recordedSeconds;
    }

    /** Writes the grace to all files. False if that failed. */
    @GuardedBy("disk")
    private boolean record(long graceSeconds) {
        if (closed) {
            return false;
        }
        for (RunFile file : files) {
            try {
                if (graceSeconds > 0) {
                    file.write(graceSeconds);
                } else {
                    file.remove();
                }
            } catch (IOException | RuntimeException | Error e) {
                if (!failing) { // clients can cause it repeatedly
                    LOG.atWarn()
                            .addKeyValue("file", file.path())
                            .addKeyValue("reason", FailureText.of(e))
                            .log(
                                    "cannot update the run file; sessions get no longer grace"
                                            + " than it contains");
                }
                failing = true;
                return false; // whatever it is: waiting requests must complete
            }
        }
        own = graceSeconds > 0;
        failing = false;
        return true;
    }

    /**
     * Stops keeping run files.
     *
     * @param clean whether no client relies on a hold with a grace; if so, the files are removed
     */
    void close(boolean clean) {
        boolean locked = false;
        try {
            locked = disk.tryLock(CLOSE_SECONDS, TimeUnit.SECONDS); // in case the disk hangs
            if (locked) {
                close(clean, leftSeconds());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (locked) {
                disk.unlock();
            }
        }
    }

    private synchronized long leftSeconds() {
        return leftSeconds;
    }

    @GuardedBy("disk")
    private void close(boolean clean, long left) {
        if (!closed && clean && left == 0) {
            boolean _ = record(0);
        }
        closed = true;
    }
}
