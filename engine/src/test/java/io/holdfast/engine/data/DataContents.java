package io.holdfast.engine.data;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.view.KeyedState;

import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The entries of a store as bytes: equal for equal entries, in whatever order they were created.
 */
public final class DataContents {
    private final DataStore data;
    private final DataOutputStream out;

    private DataContents(DataStore data, DataOutputStream out) {
        this.data = data;
        this.out = out;
    }

    /** Writes all entries, ordered by type and key. */
    public static void write(DataStore data, DataOutputStream out) throws IOException {
        new DataContents(data, out).write();
    }

    /** Writes what every state of a key has. */
    public static void write(KeyedState keyedState, DataOutputStream out) throws IOException {
        out.writeUTF(keyedState.key.namespace().name());
        write(keyedState.key.bytes(), out);
        out.writeLong(keyedState.lastActivityNanos);
    }

    private void write() throws IOException {
        for (CounterEntry counterEntry : sorted(data.counters)) {
            write(counterEntry, out);
            out.writeLong(counterEntry.value);
        }
        for (ValueEntry valueEntry : sorted(data.values)) {
            write(valueEntry, out);
            write(valueEntry.content.bytes(), out);
            out.writeBoolean(valueEntry.expires);
            out.writeLong(valueEntry.expires ? data.expiries.timeOf(valueEntry) : 0);
        }
        for (ListEntry list : sorted(data.lists)) {
            write(list, out);
            out.writeInt(list.size());
            for (ByteString item : list.range(0, list.size())) {
                write(item.bytes(), out);
            }
        }
    }

    private <E extends DataEntry> List<E> sorted(DataEntries<E> dataEntries) throws IOException {
        List<E> sorted = new ArrayList<>();
        dataEntries.inOrder().forEach(sorted::add);
        sorted.sort(Comparator.comparing(entry -> entry.key));
        out.writeInt(sorted.size());
        return sorted;
    }

    private static void write(byte[] bytes, DataOutputStream out) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }
}
