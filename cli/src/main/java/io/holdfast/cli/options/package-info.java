/** Values that several commands read from their options. */
@NullMarked
package io.holdfast.cli.options;

import org.jspecify.annotations.NullMarked;
