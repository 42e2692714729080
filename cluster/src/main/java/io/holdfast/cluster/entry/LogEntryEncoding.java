package io.holdfast.cluster.entry;

import io.holdfast.cluster.ClusterVersion;

import java.util.ArrayList;
import java.util.List;

/**
 * Encodes log entries: the version of the cluster, a tag, and the fields of the entry. An entry is
 * written in the version that the cluster has at the node that proposes it. So a log has entries of
 * several versions, and none of a version that the cluster did not have.
 */
public final class LogEntryEncoding {
    private LogEntryEncoding() {}

    public static byte[] encode(LogEntry logEntry, int version) {
        var out = new ByteWriter();
        write(logEntry, version, out);
        return out.toBytes();
    }

    /**
     * Writes an entry.
     *
     * @param version the version of the cluster
     */
    public static void write(LogEntry logEntry, int version, ByteWriter out) {
        writeVersion(version, out);
        switch (logEntry) {
            case LogEntry.CreateCluster(var cluster, long fence) -> {
                out.octet(LogEntryTags.CREATE_CLUSTER);
                out.uuid(cluster);
                out.number(fence);
            }
            case LogEntry.ChangeSettings(var replicatedSettings) -> {
                out.octet(LogEntryTags.CHANGE_SETTINGS);
                ReplicatedSettingsEncoding.write(replicatedSettings, out);
            }
            case LogEntry.RaiseVersion(int next) -> {
                out.octet(LogEntryTags.RAISE_VERSION);
                out.number(next);
            }
            case LogEntry.Announce(var node, var dataId, int known) -> {
                out.octet(LogEntryTags.ANNOUNCE);
                out.text(node);
                out.uuid(dataId);
                out.number(known);
            }
            case LogEntry.BeginIncarnation(var node, var nonce) -> {
                out.octet(LogEntryTags.BEGIN_INCARNATION);
                out.text(node);
                out.uuid(nonce);
            }
            case LogEntry.Batch batch -> {
                out.octet(LogEntryTags.BATCH);
                out.number(batch.incarnation());
                out.number(batch.sequence());
                List<BatchItem> items = batch.items();
                out.number(items.size());
                long base = baseOf(batch.incarnation());
                for (BatchItem batchItem : items) {
                    BatchItemEncoding.write(batchItem, base, out);
                }
            }
            case LogEntry.EndIncarnation(long incarnation) -> {
                out.octet(LogEntryTags.END_INCARNATION);
                out.number(incarnation);
            }
            case LogEntry.EntryBatch(var entries) -> {
                out.octet(LogEntryTags.ENTRY_BATCH);
                out.number(entries.size());
                for (LogEntry inner : entries) {
                    out.bytes(encode(inner, version));
                }
            }
            case LogEntry.Tick() -> out.octet(LogEntryTags.TICK);
            case LogEntry.CheckState() -> out.octet(LogEntryTags.CHECK_STATE);
            case LogEntry.Collect(int maxExamined) -> {
                out.octet(LogEntryTags.COLLECT);
                out.signed(maxExamined);
            }
        }
    }

    private static void writeVersion(int version, ByteWriter out) {
        out.octet(version);
        if (ClusterVersion.isTrial(version)) {
            out.octet(LogEntryTags.TRIAL);
        }
    }

    /**
     * Returns the bytes of an {@link LogEntry.EntryBatch} of encoded entries, in the highest of
     * their versions.
     */
    public static byte[] batchOf(List<byte[]> entries) {
        var out = new ByteWriter();
        writeVersion(
                entries.stream()
                        .mapToInt(entry -> entry[0] & 0xFF)
                        .max()
                        .orElse(ClusterVersion.FIRST),
                out);
        out.octet(LogEntryTags.ENTRY_BATCH);
        out.number(entries.size());
        entries.forEach(out::bytes);
        return out.toBytes();
    }

    public static LogEntry decode(byte[] bytes, int known) throws EncodingException {
        return decode(new ByteReader(bytes), known);
    }

    /**
     * Reads an entry, which must extend to the end of the input.
     *
     * @param known the highest version of the cluster that this node knows
     */
    public static LogEntry decode(ByteReader in, int known) throws EncodingException {
        return decode(in, known, false);
    }

    private static LogEntry decode(ByteReader in, int known, boolean inBatch)
            throws EncodingException {
        int version = in.octet();
        if (!ClusterVersion.isKnown(version, known)) {
            throw in.wrong(ClusterVersion.unknown("an entry", version, known) + ",");
        }
        if (ClusterVersion.isTrial(version) && in.octet() != LogEntryTags.TRIAL) {
            throw in.wrong("no mark of the trial version");
        }
        LogEntry logEntry = read(in, known, inBatch);
        in.finish();
        return logEntry;
    }

    private static LogEntry read(ByteReader in, int known, boolean inBatch)
            throws EncodingException {
        int tag = in.octet();
        if (inBatch && tag == LogEntryTags.ENTRY_BATCH) {
            throw in.wrong("an entry batch inside an entry batch");
        }
        return switch (tag) {
            case LogEntryTags.CREATE_CLUSTER -> new LogEntry.CreateCluster(in.uuid(), in.number());
            case LogEntryTags.CHANGE_SETTINGS ->
                    new LogEntry.ChangeSettings(ReplicatedSettingsEncoding.read(in));
            case LogEntryTags.BEGIN_INCARNATION ->
                    new LogEntry.BeginIncarnation(in.text(), in.uuid());
            case LogEntryTags.ANNOUNCE -> new LogEntry.Announce(in.text(), in.uuid(), in.count());
            case LogEntryTags.RAISE_VERSION -> new LogEntry.RaiseVersion(in.count());
            case LogEntryTags.BATCH -> batch(in);
            case LogEntryTags.END_INCARNATION -> new LogEntry.EndIncarnation(in.number());
            case LogEntryTags.ENTRY_BATCH -> batchOf(in, known);
            case LogEntryTags.TICK -> new LogEntry.Tick();
            case LogEntryTags.CHECK_STATE -> new LogEntry.CheckState();
            case LogEntryTags.COLLECT -> new LogEntry.Collect(maxExamined(in));
            default -> throw in.wrong("unknown entry tag %d".formatted(tag));
        };
    }

    private static LogEntry.Batch batch(ByteReader in) throws EncodingException {
        long incarnation = in.number();
        long sequence = in.number();
        int count = in.length();
        long base = baseOf(incarnation);
        List<BatchItem> items = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            items.add(BatchItemEncoding.read(in, base));
        }
        return new LogEntry.Batch(incarnation, sequence, items);
    }

    private static LogEntry.EntryBatch batchOf(ByteReader in, int known) throws EncodingException {
        int count = in.length();
        List<LogEntry> entries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            entries.add(decode(new ByteReader(in.bytes()), known, true));
        }
        return new LogEntry.EntryBatch(entries);
    }

    private static int maxExamined(ByteReader in) throws EncodingException {
        long maxExamined = in.signed();
        if (maxExamined != (int) maxExamined) {
            throw in.wrong("a limit of %d, more than 2147483647,".formatted(maxExamined));
        }
        return (int) maxExamined;
    }

    /** The id that is subtracted from the ids of an incarnation's sessions. */
    private static long baseOf(long incarnation) {
        return incarnation << 32;
    }
}
