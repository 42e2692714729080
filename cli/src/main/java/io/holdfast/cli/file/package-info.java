/**
 * {@code holdfast file}: lock files, for shell scripts and languages without a library. Start at
 * {@link io.holdfast.cli.file.FileCommand}, which has the options; each command is a class of its
 * own, and {@code FileCommandFailure} maps every failure to its output.
 */
@NullMarked
package io.holdfast.cli.file;

import org.jspecify.annotations.NullMarked;
