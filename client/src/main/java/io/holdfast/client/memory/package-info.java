/**
 * A service in memory, with a clock that moves only when told: {@link
 * io.holdfast.client.memory.MemoryServer}. Internal; not meant for users, who have {@code
 * FakeHoldfast}.
 */
@NullMarked
package io.holdfast.client.memory;

import org.jspecify.annotations.NullMarked;
