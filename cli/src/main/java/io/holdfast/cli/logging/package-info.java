/** Log lines of the form {@code time=… level=… msg=… name=value}, on standard error. */
@NullMarked
package io.holdfast.cli.logging;

import org.jspecify.annotations.NullMarked;
