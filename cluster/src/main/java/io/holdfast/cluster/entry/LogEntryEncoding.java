package io.holdfast.cluster.entry;

import java.util.ArrayList;
import java.util.List;

/** Encodes log entries: the version of the encoding, a tag, and the fields of the entry. */
public final class LogEntryEncoding {
    private LogEntryEncoding() {}

    public static byte[] encode(LogEntry logEntry) {
        var out = new ByteWriter();
        write(logEntry, out);
        return out.toBytes();
    }

    public static void write(LogEntry logEntry, ByteWriter out) {
        out.octet(LogEntryTags.VERSION);
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
                    out.bytes(encode(inner));
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

    /** Returns the bytes of an {@link LogEntry.EntryBatch} of encoded entries. */
    public static byte[] batchOf(List<byte[]> entries) {
        var out = new ByteWriter();
        out.octet(LogEntryTags.VERSION);
        out.octet(LogEntryTags.ENTRY_BATCH);
        out.number(entries.size());
        entries.forEach(out::bytes);
        return out.toBytes();
    }

    public static LogEntry decode(byte[] bytes) throws EncodingException {
        return decode(new ByteReader(bytes));
    }

    /** Reads an entry, which must extend to the end of the input. */
    public static LogEntry decode(ByteReader in) throws EncodingException {
        int version = in.octet();
        if (version != LogEntryTags.VERSION) {
            throw in.wrong(
                    "unsupported encoding version %d (supported: %d)"
                            .formatted(version, LogEntryTags.VERSION));
        }
        LogEntry logEntry = read(in);
        in.finish();
        return logEntry;
    }

    private static LogEntry read(ByteReader in) throws EncodingException {
        int tag = in.octet();
        return switch (tag) {
            case LogEntryTags.CREATE_CLUSTER -> new LogEntry.CreateCluster(in.uuid(), in.number());
            case LogEntryTags.CHANGE_SETTINGS ->
                    new LogEntry.ChangeSettings(ReplicatedSettingsEncoding.read(in));
            case LogEntryTags.BEGIN_INCARNATION ->
                    new LogEntry.BeginIncarnation(in.text(), in.uuid());
            case LogEntryTags.BATCH -> batch(in);
            case LogEntryTags.END_INCARNATION -> new LogEntry.EndIncarnation(in.number());
            case LogEntryTags.ENTRY_BATCH -> batchOf(in);
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

    private static LogEntry.EntryBatch batchOf(ByteReader in) throws EncodingException {
        int count = in.length();
        List<LogEntry> entries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            byte[] inner = in.bytes();
            if (inner.length > 1 && inner[1] == LogEntryTags.ENTRY_BATCH) {
                throw in.wrong("an entry batch inside an entry batch");
            }
            entries.add(decode(inner));
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
