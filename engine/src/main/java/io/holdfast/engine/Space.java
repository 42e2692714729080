package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The entries of one sort: by key, and in order of creation. */
final class Space<E extends Entry> {
    private final Map<Key, E> byKey = new HashMap<>();
    private final Roster inOrder = new Roster();

    int size() {
        return byKey.size();
    }

    @Nullable E get(Key key) {
        return byKey.get(key);
    }

    void add(E entry) {
        byKey.put(entry.key, entry);
        inOrder.addLast(entry);
    }

    void remove(Entry entry) {
        byKey.remove(entry.key);
        inOrder.remove(entry);
    }

    Roster inOrder() {
        return inOrder;
    }

    List<E> sorted() {
        List<E> entries = new ArrayList<>(byKey.values());
        entries.sort(Comparator.comparing(entry -> entry.key));
        return entries;
    }
}
