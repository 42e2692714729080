/**
 * Runs the examples of the documentation. {@link io.holdfast.cli.docs.Page} finds the console
 * blocks of a page, {@link io.holdfast.cli.docs.Example} knows their shape, and {@link
 * io.holdfast.cli.docs.ExamplePlayer} does what a reader would do and compares.
 */
@NullMarked
package io.holdfast.cli.docs;

import org.jspecify.annotations.NullMarked;
