/**
 * Holds the modules to the doors of docs/architecture.md. The rules are in {@link
 * io.holdfast.cli.architecture.Doors}; below {@code fixture} stands a small house with every
 * mistake built in, which proves that each rule can fail.
 */
@NullMarked
package io.holdfast.cli.architecture;

import org.jspecify.annotations.NullMarked;
