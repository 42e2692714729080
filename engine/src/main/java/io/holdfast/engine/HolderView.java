package io.holdfast.engine;

import java.util.List;

/**
 * Who holds a key at one moment.
 *
 * @param sessions in order of grant
 * @param since fence of the grant since which somebody has held it: keys in the order of this
 *     number are in order of acquisition
 */
public record HolderView(Key key, List<Long> sessions, long since) {}
