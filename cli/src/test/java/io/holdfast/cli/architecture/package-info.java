/**
 * Checks the dependencies that docs/architecture.md allows between modules. The rules are in {@link
 * io.holdfast.cli.architecture.ModuleRules}; the package {@code fixture} contains violations of
 * every rule, which prove that each rule can fail.
 */
@NullMarked
package io.holdfast.cli.architecture;

import org.jspecify.annotations.NullMarked;
