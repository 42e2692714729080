package io.holdfast.cluster.entry;

import java.util.ArrayList;
import java.util.List;

/** Entries as bytes: the version of the encoding, what it is, and what it says. */
public final class EntryEncoding {
    private EntryEncoding() {}

    public static byte[] encode(Entry entry) {
        var out = new ByteWriter();
        write(entry, out);
        return out.toBytes();
    }

    public static void write(Entry entry, ByteWriter out) {
        out.octet(Tags.VERSION);
        switch (entry) {
            case Entry.Found(var cluster, long fence) -> {
                out.octet(Tags.FOUND);
                out.uuid(cluster);
                out.number(fence);
            }
            case Entry.Govern(var rules) -> {
                out.octet(Tags.GOVERN);
                RulesEncoding.write(rules, out);
            }
            case Entry.Join(var node, var dataId, var nonce) -> {
                out.octet(Tags.JOIN);
                out.text(node);
                out.uuid(dataId);
                out.uuid(nonce);
            }
            case Entry.Batch batch -> {
                out.octet(Tags.BATCH);
                out.number(batch.stint());
                out.number(batch.sequence());
                List<Item> items = batch.items();
                out.number(items.size());
                long base = baseOf(batch.stint());
                for (Item item : items) {
                    ItemEncoding.write(item, base, out);
                }
            }
            case Entry.Leave(long stint) -> {
                out.octet(Tags.LEAVE);
                out.number(stint);
            }
            case Entry.Parcel(var entries) -> {
                out.octet(Tags.PARCEL);
                out.number(entries.size());
                for (Entry inner : entries) {
                    out.bytes(encode(inner));
                }
            }
            case Entry.Tick() -> out.octet(Tags.TICK);
            case Entry.Collect(int most) -> {
                out.octet(Tags.COLLECT);
                out.signed(most);
            }
        }
    }

    /** The bytes of an {@link Entry.Parcel} of entries that are bytes already. */
    public static byte[] parcel(List<byte[]> entries) {
        var out = new ByteWriter();
        out.octet(Tags.VERSION);
        out.octet(Tags.PARCEL);
        out.number(entries.size());
        entries.forEach(out::bytes);
        return out.toBytes();
    }

    public static Entry decode(byte[] bytes) throws EncodingException {
        return decode(new ByteReader(bytes));
    }

    /** Reads an entry, after which nothing may be left. */
    public static Entry decode(ByteReader in) throws EncodingException {
        int version = in.octet();
        if (version != Tags.VERSION) {
            throw in.wrong(
                    "version %d of the encoding, where only %d is known,"
                            .formatted(version, Tags.VERSION));
        }
        Entry entry = read(in);
        in.finish();
        return entry;
    }

    private static Entry read(ByteReader in) throws EncodingException {
        int tag = in.octet();
        return switch (tag) {
            case Tags.FOUND -> new Entry.Found(in.uuid(), in.number());
            case Tags.GOVERN -> new Entry.Govern(RulesEncoding.read(in));
            case Tags.JOIN -> new Entry.Join(in.text(), in.uuid(), in.uuid());
            case Tags.BATCH -> batch(in);
            case Tags.LEAVE -> new Entry.Leave(in.number());
            case Tags.PARCEL -> parcel(in);
            case Tags.TICK -> new Entry.Tick();
            case Tags.COLLECT -> new Entry.Collect(most(in));
            default -> throw in.wrong("no known entry but %d".formatted(tag));
        };
    }

    private static Entry.Batch batch(ByteReader in) throws EncodingException {
        long stint = in.number();
        long sequence = in.number();
        int count = in.length();
        long base = baseOf(stint);
        List<Item> items = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            items.add(ItemEncoding.read(in, base));
        }
        return new Entry.Batch(stint, sequence, items);
    }

    private static Entry.Parcel parcel(ByteReader in) throws EncodingException {
        int count = in.length();
        List<Entry> entries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            byte[] inner = in.bytes();
            if (inner.length > 1 && inner[1] == Tags.PARCEL) {
                throw in.wrong("a parcel inside a parcel");
            }
            entries.add(decode(inner));
        }
        return new Entry.Parcel(entries);
    }

    private static int most(ByteReader in) throws EncodingException {
        long most = in.signed();
        if (most != (int) most) {
            throw in.wrong("more to look at than an int can say, %d,".formatted(most));
        }
        return (int) most;
    }

    /** Sessions are written as what they are above this. */
    private static long baseOf(long stint) {
        return stint << 32;
    }
}
