package io.holdfast.engine.data;

import io.holdfast.engine.codec.SnapshotOutput;

import java.io.IOException;

/** Writes counters, values and lists into a snapshot. */
final class DataSnapshotWriter {
    private final DataStore data;
    private final SnapshotOutput out;

    DataSnapshotWriter(DataStore data, SnapshotOutput out) {
        this.data = data;
        this.out = out;
    }

    void write() throws IOException {
        out.deadlines(data.expiries);
        out.deadlines(data.idleEnds);
        out.number(data.counters.size());
        for (CounterEntry counterEntry : data.counters.inOrder()) {
            writeHeader(counterEntry);
            out.number(counterEntry.value);
            out.deadline(counterEntry);
        }
        out.number(data.values.size());
        for (ValueEntry valueEntry : data.values.inOrder()) {
            writeHeader(valueEntry);
            out.bytes(valueEntry.content.bytes());
            out.flag(valueEntry.expires);
            out.deadline(valueEntry);
        }
        out.number(data.lists.size());
        for (ListEntry list : data.lists.inOrder()) {
            writeHeader(list);
            out.number(list.size());
            for (int i = 0; i < list.size(); i++) {
                out.bytes(list.item(i).bytes());
            }
        }
    }

    private void writeHeader(DataEntry dataEntry) throws IOException {
        out.key(dataEntry.key);
        out.fixed(dataEntry.lastActivityNanos);
    }
}
