/** Signals of this process, and a child command that runs in its place. Independent of locks. */
@NullMarked
package io.holdfast.cli.process;

import org.jspecify.annotations.NullMarked;
