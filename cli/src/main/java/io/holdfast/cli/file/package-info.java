/**
 * {@code holdfast file}: locks that are files, for shell scripts and whoever has no library. Start
 * at {@link io.holdfast.cli.file.FileCommand}, which has the options; each verb is a class of its
 * own, and {@code Failure} is the one table of what can go wrong.
 */
@NullMarked
package io.holdfast.cli.file;

import org.jspecify.annotations.NullMarked;
