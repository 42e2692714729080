/** ShedLock on Holdfast: {@link io.holdfast.shedlock.HoldfastLockProvider} is all there is. */
@NullMarked
package io.holdfast.shedlock;

import org.jspecify.annotations.NullMarked;
