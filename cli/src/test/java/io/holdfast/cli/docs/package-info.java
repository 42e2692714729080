/**
 * Runs the examples of the documentation. {@link io.holdfast.cli.docs.Page} finds the console
 * blocks of a page, {@link io.holdfast.cli.docs.Example} parses them, and {@link
 * io.holdfast.cli.docs.ExamplePlayer} runs them and compares the output.
 */
@NullMarked
package io.holdfast.cli.docs;

import org.jspecify.annotations.NullMarked;
