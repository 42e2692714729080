/**
 * A hash of a state that is kept while the state changes, so that replicas can compare their states
 * at no cost that grows with them. Start at {@link io.holdfast.engine.hash.StateHash}.
 */
@NullMarked
package io.holdfast.engine.hash;

import org.jspecify.annotations.NullMarked;
