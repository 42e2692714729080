package io.holdfast.driver.watch;

import io.holdfast.engine.Key;
import io.holdfast.engine.Kind;

/**
 * A key that is much waited for.
 *
 * @param waits how often somebody joined its line; a little too high at most
 */
public record Contended(Name name, long waits) {
    /** A key of a kind. */
    public record Name(Kind kind, Key key) {}
}
