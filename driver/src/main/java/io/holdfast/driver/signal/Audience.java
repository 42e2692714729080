package io.holdfast.driver.signal;

import io.holdfast.engine.ByteString;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All who listen to one pattern: those alone, and the groups in the order they were formed. */
final class Audience {
    private @Nullable Members alone;
    private @Nullable Map<ByteString, Members> groups;

    @Nullable Members alone() {
        return alone;
    }

    Collection<Members> groups() {
        return groups == null ? List.of() : groups.values();
    }

    void add(ByteString group, Members members) {
        if (group.isEmpty()) {
            alone = members;
            return;
        }
        if (groups == null) {
            groups = new LinkedHashMap<>();
        }
        groups.put(group, members);
    }

    void remove(ByteString group) {
        if (group.isEmpty()) {
            alone = null;
        } else if (groups != null) {
            groups.remove(group);
            if (groups.isEmpty()) {
                groups = null;
            }
        }
    }

    boolean isEmpty() {
        return alone == null && groups == null;
    }
}
