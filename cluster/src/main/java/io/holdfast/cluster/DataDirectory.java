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
 * The data directory of one node, locked for as long as this object is open. It belongs permanently
 * to one node of one cluster: it has the entries that this node has acknowledged, so neither may
 * another node run with it, nor may this node run without it.
 */
public final class DataDirectory implements AutoCloseable {
    private static final String RAFT = "raft";
    static final String LOCK = "lock";

    /** Files that an unused directory may have; {@code lost+found} is in every new file system. */
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
     * Opens the data directory of a node, or creates it.
     *
     * @param members the members of the cluster as configured for this start
     * @throws ClusterException if it belongs to another node, has a newer format, is damaged, is in
     *     use, or has lost its log
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
                                ? createIdentity(path, cluster, node, members)
                                : checkIdentity(path, cluster, node, members));
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
            // locked by this process already
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

    private static DataIdentity createIdentity(
            Path path, String cluster, String node, List<NodeAddress> members) throws IOException {
        Files.createDirectories(path.resolve(RAFT));
        DataIdentity identity =
                new DataIdentity(cluster, node, UUID.randomUUID(), members, DataIdentity.State.NEW);
        identity.write(path);
        return identity;
    }

    private static DataIdentity checkIdentity(
            Path path, String cluster, String node, List<NodeAddress> members) throws IOException {
        DataIdentity known = DataIdentity.read(path);
        known.require(path, cluster, node, members);
        boolean hasLog = hasLog(path.resolve(RAFT));
        if (known.state() != DataIdentity.State.NEW && !hasLog) {
            throw new ClusterException(
                    "the data directory "
                            + path
                            + " has lost the entries that the node had acknowledged ("
                            + path.resolve(RAFT)
                            + " has no raft-meta, or no log and no snapshot): without them"
                            + " committed entries could be lost, so replace the node by one with a"
                            + " new name and a new folder (holdfast cluster replace), or restore a"
                            + " backup");
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

    /** Without the metadata file Ratis silently starts with an empty log. */
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

    /** Returns the directory of the log and the snapshots. */
    public Path raftDirectory() {
        return raftDirectory(path);
    }

    /** Returns the directory of the log and the snapshots in a data directory. */
    public static Path raftDirectory(Path path) {
        return path.resolve(RAFT);
    }

    /** Returns the id of the directory's contents, generated when the directory is created. */
    public UUID dataId() {
        return identity.dataId();
    }

    /** Whether there must be a log or a snapshot in the directory. */
    public boolean isUsed() {
        return identity.state() != DataIdentity.State.NEW;
    }

    /**
     * Records that the log has entries: from now on the node does not start without it.
     *
     * @throws ClusterException if it cannot be written
     */
    public void markUsed() throws ClusterException {
        if (identity.state() != DataIdentity.State.USED) {
            changeState(DataIdentity.State.USED);
        }
    }

    /**
     * Records that a backup is about to be restored into the directory, which cannot be used
     * without it.
     *
     * @throws ClusterException if the directory is not empty or cannot be written
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
        changeState(DataIdentity.State.RESTORED);
    }

    private void changeState(DataIdentity.State state) throws ClusterException {
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

    /** Releases the lock of the directory. */
    @Override
    public void close() {
        try {
            lock.close();
        } catch (IOException e) {
            // the lock is released in any case
        }
    }
}
