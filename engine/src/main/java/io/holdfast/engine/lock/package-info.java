/**
 * The rules of locks, semaphores and shared locks, and the engine as a whole. Start at {@link
 * io.holdfast.engine.lock.LockEngine#apply}; {@link io.holdfast.engine.lock.EngineViews} is what
 * can be read. Everything else is package-private, because the rules work on the fields of holds,
 * waiters and resources: {@code RequestLifecycle} keeps them consistent.
 */
@NullMarked
package io.holdfast.engine.lock;

import org.jspecify.annotations.NullMarked;
