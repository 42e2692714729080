/** The commands behind the launcher: they read flags, wire the parts together and run them. */
@NullMarked
package io.holdfast.cli;

import org.jspecify.annotations.NullMarked;
