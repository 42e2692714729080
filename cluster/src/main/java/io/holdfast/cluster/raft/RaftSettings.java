package io.holdfast.cluster.raft;

import io.holdfast.cluster.ClusterConfig;
import io.holdfast.cluster.NodeIdentity;

import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.client.RaftClientConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The settings of Ratis. Measurements are in docs/benchmarks.md; settings that are not listed have
 * their defaults.
 */
final class RaftSettings {
    /**
     * The election timeout. Long enough for nodes that share two busy cores, short enough for a
     * failover in about a second.
     */
    private static final TimeDuration ELECTION_MIN = millis(400);

    private static final TimeDuration ELECTION_MAX = millis(800);

    /**
     * For a cluster of one, which has no reason to step down or stop, however long it was paused.
     */
    private static final TimeDuration NEVER =
            TimeDuration.valueOf(Integer.MAX_VALUE, TimeUnit.SECONDS);

    private static final TimeDuration REQUEST_TIMEOUT = millis(3000);

    /** The log cache keeps entries as objects: large segments would fill the heap. */
    private static final SizeInBytes SEGMENT = SizeInBytes.valueOf("8MB");

    private static final int CACHED_SEGMENTS = 2;

    /**
     * The size of the entries or the part of a snapshot that are in flight to a follower: on a link
     * of 10 Mbit/s a heartbeat waits behind that for half of the election timeout.
     */
    private static final int MAX_BULK_BYTES = 256 * 1024;

    /**
     * The maximum size of the entries of a request, of one entry, and of a snapshot chunk: with the
     * fields around it, it fits into {@link #MAX_BULK_BYTES}.
     */
    static final int MAX_ENTRY_BYTES = MAX_BULK_BYTES - 8 * 1024;

    /** The number of entries, or of bytes, after which a snapshot is written. */
    private static final long SNAPSHOT_ENTRIES = 400_000;

    private static final long SNAPSHOT_BYTES = 128L * 1024 * 1024;

    /** The size of the log before a snapshot that is kept for nodes that are slightly behind. */
    private static final long KEPT_BYTES = 32L * 1024 * 1024;

    /**
     * Snapshot limits differ between nodes by up to this number of eighths, so that not all nodes
     * write snapshots at the same time.
     */
    private static final int MAX_SPREAD = 4;

    private static final int RETAINED_SNAPSHOTS = 2;

    private RaftSettings() {}

    private static TimeDuration millis(long count) {
        return TimeDuration.valueOf(count, TimeUnit.MILLISECONDS);
    }

    /** Returns the Raft group of a node; without peers if the node waits to be added. */
    static RaftGroup group(NodeIdentity identity) {
        return RaftGroup.valueOf(
                RaftGroupId.valueOf(identity.clusterId()), RaftPeers.peers(identity.members()));
    }

    static LogSizeLimits logLimits(ClusterConfig config) {
        return new LogSizeLimits(
                spread(config, SNAPSHOT_ENTRIES), spread(config, SNAPSHOT_BYTES), KEPT_BYTES);
    }

    private static long spread(ClusterConfig config, long value) {
        int position = config.members().indexOf(config.self()) % (MAX_SPREAD + 1);
        return value + value / 8 * position;
    }

    /** Returns the settings of an administration client. */
    static RaftProperties client() {
        RaftProperties properties = new RaftProperties();
        RaftConfigKeys.Rpc.setType(properties, new SocketRpcType());
        RaftClientConfigKeys.Rpc.setRequestTimeout(properties, REQUEST_TIMEOUT);
        return properties;
    }

    /**
     * Returns the settings of a node.
     *
     * @param restored whether the node has formed its cluster from a backup, and may admit several
     *     nodes at once
     */
    static RaftProperties server(ClusterConfig config, Path directory, boolean restored) {
        RaftProperties properties = client();
        RaftServerConfigKeys.setStorageDir(properties, List.of(directory.toFile()));

        RaftServerConfigKeys.Rpc.setTimeoutMin(properties, ELECTION_MIN);
        RaftServerConfigKeys.Rpc.setTimeoutMax(properties, ELECTION_MAX);
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(properties, millis(150));
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(properties, millis(400));
        RaftServerConfigKeys.LeaderElection.setLeaderStepDownWaitTime(
                properties, config.isSingle() ? NEVER : millis(3000));
        if (config.isSingle()) { // by default a process stops after it was paused for a minute
            RaftServerConfigKeys.setCloseThreshold(properties, NEVER);
        }

        // Only that node votes until the others have its log, so no election can be lost meanwhile.
        RaftServerConfigKeys.LeaderElection.setMemberMajorityAdd(properties, restored);

        RaftServerConfigKeys.Log.setSegmentSizeMax(properties, SEGMENT);
        RaftServerConfigKeys.Log.setPreallocatedSize(properties, SizeInBytes.valueOf("4MB"));
        RaftServerConfigKeys.Log.setSegmentCacheNumMax(properties, CACHED_SEGMENTS);
        RaftServerConfigKeys.Log.setSegmentCacheSizeMax(properties, SizeInBytes.valueOf("16MB"));
        RaftServerConfigKeys.Log.setLogMetadataEnabled(properties, false);
        // A follower gets one request with entries at a time, so there is nothing to compose.
        RaftServerConfigKeys.Log.setAppendEntriesComposeEnabled(properties, false);
        RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(properties, true);
        RaftServerConfigKeys.Log.setPurgeGap(properties, 1); // entries may be large
        RaftServerConfigKeys.Log.Appender.setSnapshotChunkSizeMax(
                properties, SizeInBytes.valueOf(MAX_ENTRY_BYTES));

        // Needed for the snapshot at a stop. The state machine counts entries itself: Ratis counts
        // from the last entry that was purged, and more than the threshold can be kept after that.
        RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(properties, true);
        RaftServerConfigKeys.Snapshot.setAutoTriggerThreshold(properties, Long.MAX_VALUE);
        RaftServerConfigKeys.Snapshot.setCreationGap(properties, 1);
        RaftServerConfigKeys.Snapshot.setRetentionFileNum(properties, RETAINED_SNAPSHOTS);

        RaftServerConfigKeys.RetryCache.setExpiryTime(properties, millis(2000));
        return properties;
    }
}
