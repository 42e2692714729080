package io.holdfast.driver.signal;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;

/**
 * The listeners of a pattern, or of a queue group of it, at one moment.
 *
 * @param group empty for listeners without a group
 */
public record ChannelView(Key pattern, ByteString group, int listeners) {}
