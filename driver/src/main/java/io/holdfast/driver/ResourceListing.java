package io.holdfast.driver;

import io.holdfast.engine.ResourceView;

import java.util.List;

/**
 * Reads keys slice by slice without stalling anybody. A key that is in use throughout comes exactly
 * once.
 */
public interface ResourceListing extends AutoCloseable {
    /** The next keys; empty at the end. */
    List<ResourceView> next();

    @Override
    void close();
}
