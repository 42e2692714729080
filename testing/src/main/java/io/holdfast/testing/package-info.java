/**
 * Servers for tests. {@link io.holdfast.testing.HoldfastExtension} is a JUnit extension, {@link
 * io.holdfast.testing.EmbeddedHoldfast} the same without JUnit: a real server in this JVM, on a
 * free port of the loopback address. Tests that need to move the clock, and no sockets, take {@code
 * io.holdfast.client.FakeHoldfast} of the client's own jar.
 */
@NullMarked
package io.holdfast.testing;

import org.jspecify.annotations.NullMarked;
