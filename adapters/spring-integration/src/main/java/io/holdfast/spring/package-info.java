/**
 * Spring Integration on Holdfast. The only public type is {@link
 * io.holdfast.spring.HoldfastLockRegistry}.
 */
@NullMarked
package io.holdfast.spring;

import org.jspecify.annotations.NullMarked;
