package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/** Writes counters, values and lists. */
final class DataWriter {
    private final DataStore data;
    private final StateOutput out;

    DataWriter(DataStore data, StateOutput out) {
        this.data = data;
        this.out = out;
    }

    void write() throws IOException {
        out.deadlines(data.ends);
        out.deadlines(data.idleEnds);
        out.number(data.counters.size());
        for (Roster.Node node = first(data.counters); node != null; node = node.after()) {
            if (node instanceof Counter counter) {
                name(counter);
                out.number(counter.value);
                out.deadline(counter);
            }
        }
        out.number(data.values.size());
        for (Roster.Node node = first(data.values); node != null; node = node.after()) {
            if (node instanceof Value value) {
                name(value);
                out.bytes(value.content.bytes());
                out.flag(value.expires);
                out.deadline(value);
            }
        }
        out.number(data.lists.size());
        for (Roster.Node node = first(data.lists); node != null; node = node.after()) {
            if (node instanceof ItemList list) {
                name(list);
                out.number(list.size());
                for (int i = 0; i < list.size(); i++) {
                    out.bytes(list.item(i).bytes());
                }
            }
        }
    }

    private static Roster.@Nullable Node first(Space<?> space) {
        return space.inOrder().first();
    }

    private void name(Entry entry) throws IOException {
        out.key(entry.key);
        out.fixed(entry.lastActivityNanos);
    }
}
