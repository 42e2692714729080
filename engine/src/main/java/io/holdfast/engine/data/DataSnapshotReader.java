package io.holdfast.engine.data;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.codec.SnapshotInput;

import java.io.IOException;

/** Reads what {@link DataSnapshotWriter} wrote. */
final class DataSnapshotReader {
    private final DataStore data;
    private final SnapshotInput in;

    DataSnapshotReader(DataStore data, SnapshotInput in) {
        this.data = data;
        this.in = in;
    }

    void read() throws IOException {
        in.deadlines(data.expiries);
        in.deadlines(data.idleEnds);
        for (int left = in.count(); left > 0; left--) {
            CounterEntry counterEntry = add(new CounterEntry(in.key()), data.counters);
            counterEntry.value = in.number();
            in.deadline(counterEntry, data.idleEnds);
        }
        for (int left = in.count(); left > 0; left--) {
            ValueEntry valueEntry = add(new ValueEntry(in.key()), data.values);
            data.setContent(valueEntry, ByteString.of(in.bytes()));
            valueEntry.expires = in.flag();
            in.deadline(valueEntry, valueEntry.expires ? data.expiries : data.idleEnds);
        }
        for (int left = in.count(); left > 0; left--) {
            ListEntry list = add(data.newList(in.key()), data.lists);
            int items = in.count();
            SnapshotInput.check(items > 0, "an empty list");
            for (int i = 0; i < items; i++) {
                list.push(DataOperation.End.BACK, ByteString.of(in.bytes()));
            }
        }
    }

    private <E extends DataEntry> E add(E entry, DataEntries<E> dataEntries) throws IOException {
        SnapshotInput.check(dataEntries.get(entry.key) == null, "duplicate data key");
        entry.lastActivityNanos = in.fixed();
        dataEntries.add(entry);
        return entry;
    }
}
