/**
 * An in-memory service with a manual clock: {@link
 * io.holdfast.client.testing.internal.MemoryServer}. Internal; users have {@code FakeHoldfast}.
 */
@NullMarked
package io.holdfast.client.testing.internal;

import org.jspecify.annotations.NullMarked;
