package io.holdfast.cluster;

import io.holdfast.driver.DurableFile;
import io.holdfast.driver.FailureText;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The data directory of one node, locked for as long as this object is open. It belongs permanently
 * to one node of one cluster: it has the entries that this node has acknowledged, so neither may
 * another node run with it, nor may this node run without it.
 */
public final class DataDirectory implements AutoCloseable {
    private static final String RAFT = "raft";

    /** The files of a restored backup, in the directory of Raft, until there is a cluster. */
    private static final String RESTORED = "restored";

    /** What {@link #RAFT} will be after a recovery, and what it was before. */
    private static final String RECOVERED = "raft-recovered";

    private static final String BEFORE_RECOVERY = "raft-before-";

    static final String LOCK = "lock";

    /** Says why the node does not start with this directory any more. */
    private static final String DIVERGED = "diverged";

    /** Files that an unused directory may have; {@code lost+found} is in every new file system. */
    private static final Set<String> HARMLESS =
            Set.of(LOCK, RAFT, DataIdentity.FILE + ".new", "lost+found");

    private final Path path;
    private final FileChannel lock;

    /** Changed under the lock of this object. */
    private volatile DataIdentity identity;

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
        return open(path, cluster, node, members, ClusterVersion.LATEST, false);
    }

    private static DataDirectory open(
            Path path,
            String cluster,
            String node,
            List<NodeAddress> members,
            int known,
            boolean recovers)
            throws ClusterException {
        try {
            create(path);
            boolean isNew = !Files.exists(path.resolve(DataIdentity.FILE));
            if (isNew) {
                requireUnused(path);
            }
            FileChannel lock = lock(path);
            try {
                DataIdentity identity =
                        isNew
                                ? createIdentity(path, cluster, node, members)
                                : checkIdentity(path, cluster, node, members, known);
                String divergence = divergence(path);
                if (divergence != null && !recovers) {
                    throw new ClusterException(
                            "the data directory " + path + " cannot be used: " + divergence);
                }
                return new DataDirectory(path, lock, identity);
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

    /**
     * Opens the data directory of a node for its recovery, also if its state has diverged.
     *
     * @throws ClusterException as {@link #open}, and if the node has never had a cluster
     */
    public static DataDirectory openUsed(
            Path path, String cluster, String node, List<NodeAddress> members)
            throws ClusterException {
        if (!Files.exists(path.resolve(DataIdentity.FILE))) {
            throw new ClusterException(path + " is not the data directory of a node");
        }
        DataDirectory opened = open(path, cluster, node, members, ClusterVersion.LATEST, true);
        if (opened.hasCluster() && opened.isUsed() && !opened.isRestored()) {
            return opened;
        }
        String reason =
                opened.isRestored()
                        ? " has a restored backup, or was recovered already: start the node"
                        : " has no data of a cluster";
        opened.close();
        throw new ClusterException("the data directory " + path + reason);
    }

    public static DataDirectory open(ClusterConfig config) throws ClusterException {
        return open(
                config.dataDir(),
                config.name(),
                config.node(),
                config.members(),
                config.versions().cluster(),
                false);
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
        DataIdentity identity = DataIdentity.create(cluster, node, members);
        identity.write(path);
        return identity;
    }

    /**
     * Checks whose data directory this is, without opening it.
     *
     * @throws ClusterException if it belongs to another node, or is no data directory
     */
    public static void requireNode(Path path, String node) throws IOException {
        if (!Files.exists(path.resolve(DataIdentity.FILE))) {
            throw new ClusterException(path + " is not the data directory of a node");
        }
        String owner = DataIdentity.read(path, ClusterVersion.LATEST).node();
        if (!owner.equals(node)) {
            throw new ClusterException(
                    path + " is the data directory of " + owner + ", not of " + node);
        }
    }

    private static DataIdentity checkIdentity(
            Path path, String cluster, String node, List<NodeAddress> members, int knownVersion)
            throws IOException {
        DataIdentity known = DataIdentity.read(path, knownVersion);
        known.require(path, cluster, node, members);
        endRecovery(path, known);
        boolean hasLog = hasLog(path.resolve(RAFT));
        if (known.state() != DataIdentity.State.NEW && !hasLog) {
            throw new ClusterException(
                    "the data directory "
                            + path
                            + " has lost the entries that the node had acknowledged ("
                            + path.resolve(RAFT)
                            + " has no raft-meta, or no log and no snapshot): without them"
                            + " committed entries could be lost, so empty the directory and replace"
                            + " the node (holdfast cluster replace), or restore a backup");
        }
        Files.createDirectories(path.resolve(RAFT));
        DataIdentity now = known.with(members);
        if (hasLog && known.state() == DataIdentity.State.NEW) {
            now = now.with(DataIdentity.State.USED);
        }
        if (!now.equals(known)) {
            now.write(path);
        }
        moveRestored(path, now);
        return now;
    }

    private static @Nullable String divergence(Path path) throws IOException {
        Path file = path.resolve(DIVERGED);
        return Files.exists(file) ? Files.readString(file, StandardCharsets.UTF_8).strip() : null;
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

    /** Moves the files of a restored backup to where those of the cluster are. */
    private static void moveRestored(Path path, DataIdentity identity) throws IOException {
        Path raft = path.resolve(RAFT);
        Path restored = raft.resolve(RESTORED);
        if (identity.clusterId() != null && Files.exists(restored)) {
            Files.move(restored, raft.resolve(identity.clusterId().toString()));
            DurableFile.syncFolder(raft);
        }
    }

    /**
     * Replaces the log and the snapshots by those that were recovered from them. The identity of
     * the directory says that this is to be done, so that a crash in between does no harm.
     */
    private static void endRecovery(Path path, DataIdentity identity) throws IOException {
        Path recovered = path.resolve(RECOVERED);
        if (identity.state() != DataIdentity.State.RESTORED
                || identity.clusterId() != null
                || !Files.exists(recovered)) {
            return;
        }
        Files.deleteIfExists(path.resolve(DIVERGED)); // of the state before
        Path raft = path.resolve(RAFT);
        if (Files.exists(raft)) {
            Files.move(raft, path.resolve(BEFORE_RECOVERY + identity.dataId()));
        }
        Files.move(recovered, raft);
        DurableFile.syncFolder(path);
    }

    /** Returns the directory for the files of the recovered state, which does not exist yet. */
    public Path beginRecovery() throws IOException {
        Path recovered = path.resolve(RECOVERED);
        if (Files.exists(recovered)) { // of an attempt that was interrupted
            try (Stream<Path> files = Files.walk(recovered)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
        return Files.createDirectories(recovered).resolve(RESTORED);
    }

    /**
     * Makes the recovered state that of the directory, which becomes a restored one.
     *
     * @param backup the id of what was recovered
     * @return where the previous files are
     */
    public Path commitRecovery(String backup) throws IOException {
        DurableFile.syncFolder(path);
        change(now -> now.withBackup(backup));
        endRecovery(path, identity);
        return path.resolve(BEFORE_RECOVERY + identity.dataId());
    }

    /** Returns the directory of the log and the snapshots. */
    public Path raftDirectory() {
        return raftDirectory(path);
    }

    /** Returns the directory for the files of a backup that is being restored. */
    public Path restoredDirectory() {
        return raftDirectory().resolve(RESTORED);
    }

    /** Returns the directory of the log and the snapshots in a data directory. */
    public static Path raftDirectory(Path path) {
        return path.resolve(RAFT);
    }

    /** Returns the id of the directory's contents, generated when the directory is created. */
    public UUID dataId() {
        return identity.dataId();
    }

    /** Returns the recorded version of the cluster; 0 if there is none yet. */
    public int version() {
        return identity.version();
    }

    /**
     * Records the version of the cluster: from now on the node does not start with a Holdfast that
     * does not know it.
     *
     * @throws ClusterException if it cannot be written
     */
    public void recordVersion(int version) throws ClusterException {
        change(now -> now.withVersion(version));
    }

    /** Whether the node has a cluster. */
    public boolean hasCluster() {
        return identity.clusterId() != null;
    }

    /**
     * Returns the id of the cluster.
     *
     * @throws IllegalStateException if the node has none
     */
    public UUID clusterId() {
        UUID clusterId = identity.clusterId();
        if (clusterId == null) {
            throw new IllegalStateException("the node has no cluster");
        }
        return clusterId;
    }

    /** Returns the id of the backup that was restored into the directory; empty if none. */
    public String backup() {
        return identity.backup();
    }

    /**
     * Returns which member of which cluster the node is.
     *
     * @param address its address
     * @throws IllegalStateException if it has no cluster
     */
    public NodeIdentity identity(NodeAddress address) {
        return new NodeIdentity(
                identity.cluster(),
                clusterId(),
                new Member(address, identity.dataId()),
                identity.memberList());
    }

    /**
     * Records the cluster of the node, for good. Must return before the node votes or acknowledges
     * anything.
     *
     * @param members the members of the cluster; empty if the node waits to be added
     * @throws ClusterException if it cannot be written
     */
    public synchronized void recordCluster(UUID clusterId, List<Member> members)
            throws ClusterException {
        change(now -> now.withCluster(clusterId, members));
        try {
            moveRestored(path, identity);
        } catch (IOException e) {
            throw unwritable(e);
        }
    }

    /**
     * Records the members of the cluster, so that a later start finds at least one of them in its
     * configuration, even if all have moved since this one.
     *
     * @throws ClusterException if they cannot be written
     */
    public synchronized void recordMembers(List<NodeAddress> members) throws ClusterException {
        if (!Set.copyOf(members).equals(Set.copyOf(identity.members()))) {
            change(now -> now.with(members));
        }
    }

    /** Whether there must be a log or a snapshot in the directory. */
    public boolean isUsed() {
        return identity.state() != DataIdentity.State.NEW;
    }

    /**
     * Whether the directory has a restored backup, and a majority of the nodes that are to share it
     * has not joined yet.
     */
    public boolean isRestored() {
        return identity.state() == DataIdentity.State.RESTORED;
    }

    /**
     * Records that the log has entries: from now on the node does not start without it. For a
     * restored backup, also that a majority of the nodes has it.
     *
     * @throws ClusterException if it cannot be written
     */
    public synchronized void markUsed() throws ClusterException {
        if (identity.state() != DataIdentity.State.USED) {
            change(now -> now.with(DataIdentity.State.USED));
        }
    }

    /**
     * Records that a backup is about to be restored into the directory, which cannot be used
     * without it. The directory gets a new data id: as an empty one it may have become a member.
     *
     * @param backup the id of the backup
     * @throws ClusterException if the directory is not empty or cannot be written
     */
    public synchronized void markRestored(String backup) throws ClusterException {
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
        change(now -> now.withBackup(backup));
    }

    /** Returns what {@link #recordDivergence} has recorded; null if it has not. */
    public @Nullable String divergence() throws ClusterException {
        try {
            return divergence(path);
        } catch (IOException e) {
            throw new ClusterException(
                    "cannot use the data directory " + path + ": " + FailureText.of(e, path), e);
        }
    }

    /**
     * Records that the state differs from that of other nodes: the node does not start with this
     * directory again, unless it is recovered.
     *
     * @param reason what was found, and what to do
     * @throws ClusterException if it cannot be written
     */
    public void recordDivergence(String reason) throws ClusterException {
        try {
            DurableFile.replace(
                    path.resolve(DIVERGED), (reason + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw unwritable(e);
        }
    }

    private synchronized void change(UnaryOperator<DataIdentity> change) throws ClusterException {
        if (!lock.isOpen()) {
            throw new ClusterException("the data directory " + path + " is closed");
        }
        DataIdentity next = change.apply(identity);
        try {
            next.write(path);
        } catch (IOException e) {
            throw unwritable(e);
        }
        identity = next;
    }

    private ClusterException unwritable(IOException e) {
        return new ClusterException(
                "cannot write to the data directory " + path + ": " + FailureText.of(e, path), e);
    }

    /** Releases the lock of the directory. */
    @Override
    public synchronized void close() {
        try {
            lock.close();
        } catch (IOException e) {
            // the lock is released in any case
        }
    }
}
