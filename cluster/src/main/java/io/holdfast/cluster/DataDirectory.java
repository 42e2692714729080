package io.holdfast.cluster;

import io.holdfast.driver.DurableFile;
import io.holdfast.driver.FailureText;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * The folder of one node, held for as long as it is open. It belongs to one node of one cluster for
 * good: what a node has promised is in there, and another must not answer with it, nor this one
 * without it.
 */
public final class DataDirectory implements AutoCloseable {
    private static final String RAFT = "raft";
    private static final String LOCK = "lock";

    /** What may be in a folder that nobody has used; the last is in every new file system. */
    private static final Set<String> HARMLESS =
            Set.of(LOCK, RAFT, DataIdentity.FILE + ".new", "lost+found");

    private final Path path;
    private final FileChannel lock;
    private DataIdentity identity;

    private DataDirectory(Path path, FileChannel lock, DataIdentity identity) {
        this.path = path;
        this.lock = lock;
        this.identity = identity;
    }

    /**
     * Opens the folder of a node, or makes it.
     *
     * @param members of the cluster, as this start knows them
     * @throws ClusterException if it is another's, of a newer format, damaged, in use, or has lost
     *     what was in it
     */
    public static DataDirectory open(
            Path path, String cluster, String node, List<NodeAddress> members)
            throws ClusterException {
        try {
            create(path);
            boolean isNew = !Files.exists(path.resolve(DataIdentity.FILE));
            if (isNew) {
                requireUnused(path);
            }
            FileChannel lock = lock(path);
            try {
                return new DataDirectory(
                        path,
                        lock,
                        isNew
                                ? found(path, cluster, node, members)
                                : resume(path, cluster, node, members));
            } catch (IOException | RuntimeException e) {
                lock.close();
                throw e;
            }
        } catch (ClusterException e) {
            throw e;
        } catch (IOException e) {
            throw new ClusterException(
                    "cannot use the data directory " + path + ": " + FailureText.of(e, path), e);
        }
    }

    public static DataDirectory open(ClusterConfig config) throws ClusterException {
        return open(config.dataDir(), config.name(), config.node(), config.members());
    }

    private static void create(Path path) throws IOException {
        if (Files.isDirectory(path)) {
            return;
        }
        Path parent = path.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        if (path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.createDirectory(
                    path,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
        } else {
            Files.createDirectory(path);
        }
        DurableFile.syncFolder(parent);
    }

    private static void requireUnused(Path path) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(path)) {
            for (Path file : files) {
                if (!HARMLESS.contains(String.valueOf(file.getFileName()))
                        || (file.endsWith(RAFT) && !isEmpty(file))) {
                    throw new ClusterException(
                            "the folder "
                                    + path
                                    + " is not empty and no data directory of Holdfast (it has "
                                    + file.getFileName()
                                    + " and no "
                                    + DataIdentity.FILE
                                    + "): name another with --data-dir");
                }
            }
        }
    }

    private static boolean isEmpty(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.findAny().isEmpty();
        }
    }

    private static FileChannel lock(Path path) throws IOException {
        FileChannel channel =
                FileChannel.open(
                        path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        boolean locked = false;
        try {
            locked = channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            // by this very process
        } finally {
            if (!locked) {
                channel.close();
            }
        }
        if (!locked) {
            throw new ClusterException(
                    "the data directory " + path + " is in use by another process: end that first");
        }
        return channel;
    }

    private static DataIdentity found(
            Path path, String cluster, String node, List<NodeAddress> members) throws IOException {
        Files.createDirectories(path.resolve(RAFT));
        DataIdentity identity =
                new DataIdentity(cluster, node, UUID.randomUUID(), members, DataIdentity.State.NEW);
        identity.write(path);
        return identity;
    }

    private static DataIdentity resume(
            Path path, String cluster, String node, List<NodeAddress> members) throws IOException {
        DataIdentity known = DataIdentity.read(path);
        known.require(path, cluster, node, members);
        boolean hasLog = hasLog(path.resolve(RAFT));
        if (known.state() != DataIdentity.State.NEW && !hasLog) {
            throw new ClusterException(
                    "the data directory "
                            + path
                            + " has lost what the node had promised to remember ("
                            + path.resolve(RAFT)
                            + " has no log and no snapshot): a node without it could break"
                            + " promises, so add one with a new name and a new folder in its place"
                            + " (holdfast cluster replace), or restore a backup");
        }
        Files.createDirectories(path.resolve(RAFT));
        DataIdentity now =
                new DataIdentity(
                        cluster,
                        node,
                        known.dataId(),
                        members,
                        hasLog ? DataIdentity.State.USED : known.state());
        if (!now.equals(known)) {
            now.write(path);
        }
        return now;
    }

    /** Ratis begins anew, without a word, where the first of these is missing. */
    private static boolean hasLog(Path raft) throws IOException {
        return has(raft, "raft-meta") && has(raft, "(log_|snapshot\\.).*");
    }

    private static boolean has(Path folder, String name) throws IOException {
        if (!Files.isDirectory(folder)) {
            return false;
        }
        try (Stream<Path> files = Files.walk(folder, 3)) {
            return files.anyMatch(
                    file ->
                            String.valueOf(file.getFileName()).matches(name)
                                    && Files.isRegularFile(file));
        }
    }

    /** Where the log and the snapshots are. */
    public Path raftDirectory() {
        return raftDirectory(path);
    }

    /** Where a node with such a data directory has its log and its snapshots. */
    public static Path raftDirectory(Path path) {
        return path.resolve(RAFT);
    }

    /** Names what is in the folder, made once. */
    public UUID dataId() {
        return identity.dataId();
    }

    /** Whether something must be in the log or in a snapshot. */
    public boolean isUsed() {
        return identity.state() != DataIdentity.State.NEW;
    }

    /**
     * Remembers that something is in the log: from now on the node does not start without it.
     *
     * @throws ClusterException if it cannot be written
     */
    public void markUsed() throws ClusterException {
        if (identity.state() != DataIdentity.State.USED) {
            become(DataIdentity.State.USED);
        }
    }

    /**
     * Remembers that it is about to be filled with a copy, without which it is of no use.
     *
     * @throws ClusterException if there is something in it, or it cannot be written
     */
    public void markRestored() throws ClusterException {
        try {
            if (identity.state() != DataIdentity.State.NEW || !isEmpty(raftDirectory())) {
                throw new ClusterException(
                        "the data directory " + path + " is not empty: name a new one");
            }
        } catch (ClusterException e) {
            throw e;
        } catch (IOException e) {
            throw new ClusterException("cannot read " + path + ": " + FailureText.of(e, path), e);
        }
        become(DataIdentity.State.RESTORED);
    }

    private void become(DataIdentity.State state) throws ClusterException {
        DataIdentity next = identity.with(state);
        try {
            next.write(path);
        } catch (IOException e) {
            throw new ClusterException(
                    "cannot write to the data directory " + path + ": " + FailureText.of(e, path),
                    e);
        }
        identity = next;
    }

    /** Lets go of the folder. */
    @Override
    public void close() {
        try {
            lock.close();
        } catch (IOException e) {
            // the lock is gone in any case
        }
    }
}
