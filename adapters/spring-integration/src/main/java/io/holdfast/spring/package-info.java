/**
 * Spring Integration on Holdfast: {@link io.holdfast.spring.HoldfastLockRegistry} is all there is.
 */
@NullMarked
package io.holdfast.spring;

import org.jspecify.annotations.NullMarked;
