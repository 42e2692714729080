/** Reads JSON. {@link io.holdfast.cli.output.JsonLine} writes it. */
@NullMarked
package io.holdfast.cli.json;

import org.jspecify.annotations.NullMarked;
