package io.holdfast.driver.signal;

import io.holdfast.engine.ByteString;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All who listen to one pattern: those alone, and the groups in the order they were formed. */
final class PatternListeners {
    private @Nullable GroupMembers alone;
    private @Nullable Map<ByteString, GroupMembers> groups;

    @Nullable GroupMembers alone() {
        return alone;
    }

    Collection<GroupMembers> groups() {
        return groups == null ? List.of() : groups.values();
    }

    void add(ByteString group, GroupMembers groupMembers) {
        if (group.isEmpty()) {
            alone = groupMembers;
            return;
        }
        if (groups == null) {
            groups = new LinkedHashMap<>();
        }
        groups.put(group, groupMembers);
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
