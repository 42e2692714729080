package io.holdfast.driver.signal;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;

/**
 * What one can listen to: a pattern, alone or in a group.
 *
 * @param group empty for none
 */
record Topic(Key pattern, ByteString group) implements Comparable<Topic> {
    @Override
    public int compareTo(Topic that) {
        int order = pattern.compareTo(that.pattern);
        return order != 0 ? order : group.compareTo(that.group);
    }
}
