/** How commands write to their standard output and standard error. */
@NullMarked
package io.holdfast.console.output;

import org.jspecify.annotations.NullMarked;
