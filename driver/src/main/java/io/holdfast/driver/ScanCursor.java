package io.holdfast.driver;

import java.util.List;

/**
 * Reads keys slice by slice without stalling anybody. A key that is what was asked for throughout
 * comes exactly once.
 *
 * @param <T> how one of them is shown
 */
public interface ScanCursor<T> extends AutoCloseable {
    /** The next keys; empty at the end. */
    List<T> next();

    @Override
    void close();
}
