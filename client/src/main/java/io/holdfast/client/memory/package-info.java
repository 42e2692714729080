/**
 * An in-memory service with a manual clock: {@link io.holdfast.client.memory.MemoryServer}.
 * Internal; users have {@code FakeHoldfast}.
 */
@NullMarked
package io.holdfast.client.memory;

import org.jspecify.annotations.NullMarked;
