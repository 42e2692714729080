/**
 * A client without a server, for tests: {@link io.holdfast.client.testing.FakeHoldfast}, with a
 * clock that the test moves.
 */
@NullMarked
package io.holdfast.client.testing;

import org.jspecify.annotations.NullMarked;
