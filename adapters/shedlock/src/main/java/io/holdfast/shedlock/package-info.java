/**
 * ShedLock on Holdfast. The only public type is {@link io.holdfast.shedlock.HoldfastLockProvider}.
 */
@NullMarked
package io.holdfast.shedlock;

import org.jspecify.annotations.NullMarked;
