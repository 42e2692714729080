package io.holdfast.driver.signal;

import io.holdfast.engine.ByteString;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The listeners of one pattern: those without a group, and the groups in order of creation. */
final class PatternListeners {
    private @Nullable GroupMembers ungrouped;
    private @Nullable Map<ByteString, GroupMembers> groups;

    @Nullable GroupMembers ungrouped() {
        return ungrouped;
    }

    Collection<GroupMembers> groups() {
        return groups == null ? List.of() : groups.values();
    }

    void add(ByteString group, GroupMembers groupMembers) {
        if (group.isEmpty()) {
            ungrouped = groupMembers;
            return;
        }
        if (groups == null) {
            groups = new LinkedHashMap<>();
        }
        groups.put(group, groupMembers);
    }

    void remove(ByteString group) {
        if (group.isEmpty()) {
            ungrouped = null;
        } else if (groups != null) {
            groups.remove(group);
            if (groups.isEmpty()) {
                groups = null;
            }
        }
    }

    boolean isEmpty() {
        return ungrouped == null && groups == null;
    }
}
