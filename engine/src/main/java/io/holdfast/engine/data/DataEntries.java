package io.holdfast.engine.data;

import io.holdfast.engine.Key;
import io.holdfast.engine.hash.StateHash;
import io.holdfast.engine.view.CursorList;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;

/** The entries of one type: by key, and in order of creation. */
final class DataEntries<E extends DataEntry> {
    private final Map<Key, E> byKey = new HashMap<>();
    private final CursorList<E> inOrder = new CursorList<>();
    private final StateHash stateHash;

    DataEntries(StateHash stateHash) {
        this.stateHash = stateHash;
    }

    int size() {
        return byKey.size();
    }

    @Nullable E get(Key key) {
        return byKey.get(key);
    }

    void add(E entry) {
        byKey.put(entry.key, entry);
        inOrder.addLast(entry);
        stateHash.add(entry);
    }

    void remove(DataEntry dataEntry) {
        byKey.remove(dataEntry.key);
        inOrder.remove(dataEntry);
        stateHash.remove(dataEntry);
    }

    CursorList<E> inOrder() {
        return inOrder;
    }
}
