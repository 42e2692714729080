package io.holdfast.cluster.admin;

import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.ClusterVersion;
import io.holdfast.cluster.DataDirectory;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.raft.RestoredLogWriter;
import io.holdfast.cluster.state.SnapshotFile;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Copies snapshots out of data directories and restores them into new ones. */
public final class Backup {
    private static final Pattern SNAPSHOT = Pattern.compile("snapshot\\.([0-9]+)_([0-9]+)");
    private static final int TRIES = 5;

    private Backup() {}

    /**
     * Copies the newest snapshot of a node into a file. The node may be running.
     *
     * @return the snapshot
     */
    public static Path copy(Path dataDirectory, Path file) throws IOException {
        for (int left = TRIES; ; left--) {
            Path newest = newest(dataDirectory);
            try {
                create(file, out -> Files.copy(newest, out));
                return newest;
            } catch (NoSuchFileException e) {
                if (left <= 0) { // the node has replaced the snapshot by a newer one
                    throw e;
                }
            }
        }
    }

    /** Writes the contents of a backup. */
    interface Source {
        void writeTo(OutputStream out) throws IOException;
    }

    /**
     * Creates a backup file, which has its name only when it is complete and verified.
     *
     * @throws ClusterException if the file exists already
     */
    static void create(Path file, Source source) throws IOException {
        if (Files.exists(file)) {
            throw new ClusterException(file + " exists already: name a new file");
        }
        Path temporary = file.resolveSibling(file.getFileName() + ".new");
        try {
            createForOwner(temporary); // it contains tokens
            try (OutputStream out = Files.newOutputStream(temporary)) {
                source.writeTo(out);
            }
            SnapshotFile.verify(temporary, ClusterVersion.LATEST);
            try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
                channel.force(true);
            }
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    private static void createForOwner(Path file) throws IOException {
        Files.deleteIfExists(file);
        if (file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.createFile(
                    file,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------")));
        } else {
            Files.createFile(file);
        }
    }

    private static Path newest(Path dataDirectory) throws IOException {
        Path raft = DataDirectory.raftDirectory(dataDirectory);
        if (!Files.isDirectory(raft)) {
            throw new ClusterException(dataDirectory + " is not the data directory of a node");
        }
        @Nullable Path newest = null;
        long newestIndex = -1;
        for (Path file : snapshots(raft)) {
            Matcher name = SNAPSHOT.matcher(String.valueOf(file.getFileName()));
            if (name.matches() && Long.parseLong(name.group(2)) > newestIndex) {
                newest = file;
                newestIndex = Long.parseLong(name.group(2));
            }
        }
        if (newest == null) {
            throw new ClusterException(
                    "the node has written no snapshot into "
                            + dataDirectory
                            + " yet: start it, and back it up while it runs");
        }
        return newest;
    }

    /**
     * Lists the files of the snapshot directories only: files of the log appear and disappear while
     * the node runs.
     */
    private static List<Path> snapshots(Path raft) throws IOException {
        List<Path> all = new ArrayList<>();
        try (Stream<Path> groups = Files.list(raft)) {
            for (Path group : groups.toList()) {
                Path folder = group.resolve("sm");
                if (Files.isDirectory(folder)) {
                    try (Stream<Path> files = Files.list(folder)) {
                        files.forEach(all::add);
                    }
                }
            }
        }
        return all;
    }

    /**
     * Creates the data directory of one node from a backup. The node forms a new cluster, which the
     * other ones join with empty data directories.
     */
    public static void restore(
            Path backup, Path dataDirectory, String cluster, String node, List<NodeAddress> members)
            throws IOException {
        SnapshotFile.verify(backup, ClusterVersion.LATEST);
        try (DataDirectory created = DataDirectory.open(dataDirectory, cluster, node, members)) {
            created.markRestored(id(backup));
            RestoredLogWriter.write(created.restoredDirectory(), backup);
        }
    }

    /** Returns an id of the contents of a backup. */
    private static String id(Path backup) throws IOException {
        try (InputStream in = Files.newInputStream(backup)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            in.transferTo(new DigestOutputStream(OutputStream.nullOutputStream(), digest));
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every JDK has it
        }
    }
}
