/**
 * Servers for tests. {@link io.holdfast.testing.HoldfastExtension} is a JUnit extension, {@link
 * io.holdfast.testing.EmbeddedHoldfast} the same without JUnit: a real server in this JVM, on a
 * free port of the loopback address. Tests that need a manual clock and no sockets use {@code
 * io.holdfast.client.testing.FakeHoldfast} of {@code holdfast-client-testing}.
 */
@NullMarked
package io.holdfast.testing;

import org.jspecify.annotations.NullMarked;
