package io.holdfast.driver.view;

import java.util.List;

/**
 * Reads elements in slices, without blocking other threads for long. An element that matches during
 * the whole scan is returned exactly once.
 *
 * @param <T> the view of an element
 */
public interface ScanCursor<T> extends AutoCloseable {
    /** The next slice; empty at the end. */
    List<T> next();

    @Override
    void close();
}
