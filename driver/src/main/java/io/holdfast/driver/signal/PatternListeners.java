package io.holdfast.driver.signal;

import io.holdfast.engine.ByteString;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The listeners of one pattern: those without a group, and the groups in order of creation. */
final class PatternListeners {
    private @Nullable TopicListeners ungrouped;
    private @Nullable Map<ByteString, TopicListeners> groups;

    @Nullable TopicListeners ungrouped() {
        return ungrouped;
    }

    Collection<TopicListeners> groups() {
        return groups == null ? List.of() : groups.values();
    }

    void add(ByteString group, TopicListeners topicListeners) {
        if (group.isEmpty()) {
            ungrouped = topicListeners;
            return;
        }
        if (groups == null) {
            groups = new LinkedHashMap<>();
        }
        groups.put(group, topicListeners);
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
