package io.holdfast.cluster.raft;

import io.holdfast.cluster.state.Replica;
import io.holdfast.cluster.state.SnapshotFile;
import io.holdfast.driver.DurableFile;

import org.apache.ratis.util.MD5FileUtil;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The log of a node that begins with a copy of a state, as Ratis expects to find it. */
public final class RestoredLogWriter {
    /** The copy counts as the first entry of the first term: leaders come in later ones. */
    private static final String SNAPSHOT = "snapshot.1_0";

    private static final String META = "term=1\nvotedFor=\n";

    private RestoredLogWriter() {}

    /**
     * Writes it.
     *
     * @param directory empty
     * @param file the copy
     */
    public static void write(Path directory, String clusterName, Path file) throws IOException {
        Path group = directory.resolve(RaftSettings.groupId(clusterName).getUuid().toString());
        Path state = Files.createDirectories(group.resolve("sm"));
        Path snapshot = state.resolve(SNAPSHOT);
        SnapshotFile.write(snapshot, out -> Replica.restore(file, out));
        MD5FileUtil.computeAndSaveMd5ForFile(snapshot.toFile());
        Path current = Files.createDirectories(group.resolve("current"));
        Path meta = current.resolve("raft-meta");
        Files.writeString(meta, META);
        HardStateFile.create(group, HardState.NONE.withAcknowledged(0).withVote(1, ""));
        for (Path each : new Path[] {meta, current, state, group, directory}) {
            DurableFile.sync(each);
        }
    }
}
