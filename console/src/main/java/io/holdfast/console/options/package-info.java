/** Values that several commands read from their options. */
@NullMarked
package io.holdfast.console.options;

import org.jspecify.annotations.NullMarked;
