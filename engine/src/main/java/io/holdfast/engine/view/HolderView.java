package io.holdfast.engine.view;

import io.holdfast.engine.Key;

import java.util.List;

/**
 * The holders of a key at one moment.
 *
 * @param sessions in order of grant
 * @param since fence of the grant since which the key has had holders without a gap: keys sorted by
 *     it are in order of acquisition
 */
public record HolderView(Key key, List<Long> sessions, long since) {}
