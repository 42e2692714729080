package io.holdfast.engine;

import java.io.IOException;

/** Reads what {@link DataWriter} wrote. */
final class DataReader {
    private final DataStore data;
    private final StateInput in;

    DataReader(DataStore data, StateInput in) {
        this.data = data;
        this.in = in;
    }

    void read() throws IOException {
        in.deadlines(data.ends);
        in.deadlines(data.idleEnds);
        for (int left = in.count(); left > 0; left--) {
            Counter counter = add(new Counter(in.key()), data.counters);
            counter.value = in.number();
            in.deadline(counter, data.idleEnds);
        }
        for (int left = in.count(); left > 0; left--) {
            Value value = add(new Value(in.key()), data.values);
            value.content = ByteString.of(in.bytes());
            value.expires = in.flag();
            in.deadline(value, value.expires ? data.ends : data.idleEnds);
        }
        for (int left = in.count(); left > 0; left--) {
            ItemList list = add(new ItemList(in.key()), data.lists);
            int items = in.count();
            StateInput.check(items > 0, "a list of nothing");
            for (int i = 0; i < items; i++) {
                list.push(DataOperation.End.BACK, ByteString.of(in.bytes()));
            }
        }
    }

    private <E extends Entry> E add(E entry, Space<E> space) throws IOException {
        StateInput.check(space.get(entry.key) == null, "two of one name");
        entry.lastActivityNanos = in.fixed();
        space.add(entry);
        return entry;
    }
}
