package io.holdfast.server;

import io.holdfast.driver.FailureText;
import io.holdfast.server.connection.ConnectionService;
import io.holdfast.server.dflockd.SessionGraces;

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
 * Grants graces that a later start of the server will know of: the largest is in the run files
 * before it is promised. So a start after a crash can wait until no client goes by what it held
 * before.
 *
 * <p>Files are written by a thread that exists only while there is something to write, with the
 * disk lock; everything else is guarded by this object, which is never locked during a write.
 */
final class RunFileGraces implements SessionGraces {
    private static final Logger LOG = LoggerFactory.getLogger(RunFileGraces.class);
    private static final long NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long CLOSE_SECONDS = 2;

    /** A session that has to wait for the file. */
    private record Waiting(long nanos, CompletableFuture<Long> granted) {}

    private final RestartQuarantineConfig config;
    private final long mostNanos;
    private final String run = UUID.randomUUID().toString();
    private final ReentrantLock disk = new ReentrantLock();
    private List<Waiting> waiting = new ArrayList<>();
    private boolean writing;

    /** Guarded by the disk lock. */
    private List<RunFile> files = List.of();

    /** Whether the files are what this run wrote last. Guarded by the disk lock. */
    private boolean own;

    /** Guarded by the disk lock. */
    private boolean closed;

    /** Whether run files are kept; without, graces are granted as if they were written. */
    private boolean kept;

    /** Of an earlier run, while its quarantine lasts. */
    private long leftSeconds;

    private boolean quarantineEnded;

    /** The largest of this run. */
    private long grantedSeconds;

    /** What the files say. */
    private long recordedSeconds;

    private boolean failing;

    RunFileGraces(RestartQuarantineConfig config, Duration most) {
        this.config = config;
        this.mostNanos = ConnectionService.nanos(most);
    }

    /**
     * Looks for what earlier runs have left, and keeps run files from now on.
     *
     * @param listeners where clients with a grace connect; none with a port that changes
     * @return how long nothing may be granted
     */
    synchronized Duration open(List<InetSocketAddress> listeners) throws StartException {
        if (listeners.isEmpty()) {
            return Duration.ZERO;
        }
        Path folder = config.stateDir();
        if (folder == null) {
            warn("there is no state directory");
            return Duration.ZERO;
        }
        files = listeners.stream().map(at -> new RunFile(folder, at, run)).toList();
        return read(folder);
    }

    /**
     * Looks again for what earlier runs have left, before the first grace is granted.
     *
     * @return how long nothing may be granted; never shorter than before
     */
    synchronized Duration reread() throws StartException {
        Path folder = config.stateDir();
        return kept && folder != null ? read(folder) : Duration.ZERO;
    }

    private Duration read(Path folder) throws StartException {
        try {
            makeFolder(folder);
            for (RunFile file : files) {
                leftSeconds = Math.max(leftSeconds, leftIn(file));
            }
            kept = true;
            recordedSeconds = leftSeconds;
        } catch (IOException e) {
            String problem =
                    "cannot use the state directory " + folder + ": " + FailureText.of(e, folder);
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

    /** Readable by its owner alone, as such directories are. */
    private static void makeFolder(Path folder) throws IOException {
        boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
        FileAttribute<?>[] attributes =
                posix
                        ? new FileAttribute<?>[] {
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rwx------"))
                        }
                        : new FileAttribute<?>[0];
        if (!Files.isDirectory(folder)) {
            Path _ = Files.createDirectories(folder, attributes);
        }
        if (!Files.isDirectory(folder)) {
            throw new NotDirectoryException(folder.toString());
        }
        if (!Files.isWritable(folder)) {
            throw new IOException("permission denied");
        }
    }

    private long leftIn(RunFile file) throws IOException {
        long most = config.longestQuarantine().toSeconds();
        try {
            return Math.min(file.leftSeconds(), most);
        } catch (RunFile.DamagedException e) {
            long assumed = Math.min(seconds(mostNanos), most);
            if (assumed > leftSeconds) { // else it changes nothing, or was logged before
                LOG.atWarn()
                        .addKeyValue("file", file.path())
                        .addKeyValue("reason", e.getMessage())
                        .addKeyValue("seconds", assumed)
                        .log("damaged run file; the longest session grace is assumed");
            }
            return assumed;
        }
    }

    private static long seconds(long nanos) {
        return nanos / NANOS + (nanos % NANOS == 0 ? 0 : 1);
    }

    @Override
    public synchronized CompletableFuture<Long> grant(long wantedNanos) {
        long nanos = Math.min(wantedNanos, mostNanos);
        if (!kept || seconds(nanos) <= Math.min(grantedSeconds, recordedSeconds)) {
            return CompletableFuture.completedFuture(nanos);
        }
        Waiting entry = new Waiting(nanos, new CompletableFuture<>());
        waiting.add(entry);
        startWriter();
        return entry.granted;
    }

    /** Nobody goes by what an earlier run has promised any more. */
    synchronized void endQuarantine() {
        leftSeconds = 0;
        quarantineEnded = true;
        startWriter();
    }

    private void startWriter() {
        if (!writing) {
            Thread _ = Thread.ofPlatform().daemon().name("holdfast-run-file").start(this::write);
            writing = true; // it cannot have looked yet
        }
    }

    private void write() {
        while (true) {
            disk.lock();
            try {
                List<Waiting> batch;
                long granted;
                long wanted;
                synchronized (this) {
                    if (waiting.isEmpty() && !quarantineEnded) {
                        writing = false;
                        return;
                    }
                    batch = waiting;
                    waiting = new ArrayList<>();
                    quarantineEnded = false;
                    granted = grantedSeconds;
                    for (Waiting entry : batch) {
                        granted = Math.max(granted, seconds(entry.nanos));
                    }
                    wanted = Math.max(granted, leftSeconds);
                }
                // The file of another run does not count: that run may still remove it.
                boolean written = (own && wanted == recorded()) || record(wanted);
                long limit;
                synchronized (this) {
                    if (written) {
                        grantedSeconds = granted;
                        recordedSeconds = wanted;
                    }
                    limit = grantedSeconds * NANOS;
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

    /** With the disk lock. False if the next start would not know of it. */
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
                if (!failing) { // clients can make it happen again and again
                    LOG.atWarn()
                            .addKeyValue("file", file.path())
                            .addKeyValue("reason", e)
                            .log(
                                    "cannot change the run file; sessions get no longer grace than"
                                            + " it has");
                }
                failing = true;
                return false; // whatever it is, those who wait are answered
            }
        }
        own = graceSeconds > 0;
        failing = false;
        return true;
    }

    /**
     * Keeps no run files any more.
     *
     * @param clean whether no client goes by a hold that it has with a grace: the files are removed
     */
    void close(boolean clean) {
        boolean locked = false;
        try {
            locked = disk.tryLock(CLOSE_SECONDS, TimeUnit.SECONDS); // else a disk hangs
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

    private void close(boolean clean, long left) {
        if (!closed && clean && left == 0) {
            boolean _ = record(0);
        }
        closed = true;
    }
}
