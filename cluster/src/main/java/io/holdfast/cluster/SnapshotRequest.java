package io.holdfast.cluster;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * A request of another process to the node that uses a data directory: to write a snapshot. It is a
 * file in the data directory, which the node removes when the snapshot is written.
 */
public final class SnapshotRequest {
    static final String FILE = "snapshot-request";

    private static final long POLL_NANOS = 20_000_000;

    private final Path dataDirectory;
    private final Path file;

    public SnapshotRequest(Path dataDirectory) {
        this.dataDirectory = dataDirectory;
        this.file = dataDirectory.resolve(FILE);
    }

    /** Whether a snapshot is requested and not written yet. */
    public boolean isPending() {
        return Files.exists(file);
    }

    /** Called by the node when the snapshot is written. */
    public void complete() throws IOException {
        Files.deleteIfExists(file);
    }

    /**
     * Makes the node of another process write a snapshot of all entries that it has applied. Does
     * nothing if no process uses the data directory.
     *
     * @throws ClusterException if the node has written none within the timeout
     */
    public void submit(Duration timeout) throws IOException {
        if (!isInUse()) {
            return;
        }
        try {
            Files.createFile(file);
        } catch (FileAlreadyExistsException e) {
            // another backup has requested one, which may be in progress and miss the last entries
            await(timeout);
            Files.createFile(file);
        }
        await(timeout);
    }

    private void await(Duration timeout) throws IOException {
        long startNanos = System.nanoTime();
        while (isPending()) {
            if (System.nanoTime() - startNanos > timeout.toNanos()) {
                complete();
                throw new ClusterException(
                        "the node that uses "
                                + dataDirectory
                                + " has written no snapshot within "
                                + timeout.toSeconds()
                                + " s; see its log");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private boolean isInUse() throws IOException {
        Path lock = dataDirectory.resolve(DataDirectory.LOCK);
        if (!Files.exists(lock)) {
            return false;
        }
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE)) {
            return channel.tryLock() == null;
        } catch (OverlappingFileLockException e) {
            return true; // by this process
        }
    }
}
