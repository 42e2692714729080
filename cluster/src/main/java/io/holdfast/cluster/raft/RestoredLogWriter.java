package io.holdfast.cluster.raft;

import io.holdfast.cluster.ClusterVersion;
import io.holdfast.cluster.state.Replica;
import io.holdfast.cluster.state.SnapshotFile;
import io.holdfast.driver.DurableFile;

import org.apache.ratis.util.MD5FileUtil;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes the files of a node that starts from a backup, in the layout that Ratis expects. */
public final class RestoredLogWriter {
    /** The backup becomes the snapshot at index 0 of term 1: leaders have later terms. */
    private static final String SNAPSHOT = "snapshot.1_0";

    private static final String META = "term=1\nvotedFor=\n";

    private RestoredLogWriter() {}

    /**
     * Writes the files.
     *
     * @param group the directory of the Raft group
     * @param backup a snapshot file
     */
    public static void write(Path group, Path backup) throws IOException {
        write(group, Replica.of(backup, ClusterVersion.LATEST));
    }

    /**
     * Writes the files.
     *
     * @param state becomes the initial state of a new cluster
     */
    static void write(Path group, Replica state) throws IOException {
        Path snapshots = Files.createDirectories(group.resolve("sm"));
        Path snapshot = snapshots.resolve(SNAPSHOT);
        SnapshotFile.write(snapshot, state.version(), state::writeAsNew);
        MD5FileUtil.computeAndSaveMd5ForFile(snapshot.toFile());
        Path current = Files.createDirectories(group.resolve("current"));
        Path meta = current.resolve("raft-meta");
        Files.writeString(meta, META);
        HardStateFile.create(group, HardState.NONE.withAcknowledged(0).withVote(1, ""));
        for (Path each : new Path[] {meta, current, snapshots, group, group.resolveSibling("")}) {
            DurableFile.sync(each);
        }
    }
}
