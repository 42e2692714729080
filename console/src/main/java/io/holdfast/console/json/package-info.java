/** Reads JSON. {@link io.holdfast.console.output.JsonLine} writes it. */
@NullMarked
package io.holdfast.console.json;

import org.jspecify.annotations.NullMarked;
