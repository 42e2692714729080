package io.holdfast.driver.signal;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;

/**
 * Those who listen to one pattern together, at one moment.
 *
 * @param group empty for those who listen alone
 */
public record ChannelView(Key pattern, ByteString group, int listeners) {}
