/** Writes JSON text directly into buffers. */
@NullMarked
package io.holdfast.protocol.json;

import org.jspecify.annotations.NullMarked;
