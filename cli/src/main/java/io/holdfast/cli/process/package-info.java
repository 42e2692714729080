/**
 * Other processes and this one's place among them: signals that come in, and a command that runs as
 * if it stood in our place. Knows nothing of locks.
 */
@NullMarked
package io.holdfast.cli.process;

import org.jspecify.annotations.NullMarked;
