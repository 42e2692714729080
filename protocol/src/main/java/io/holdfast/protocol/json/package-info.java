/** JSON as our protocols write it, straight into buffers. */
@NullMarked
package io.holdfast.protocol.json;

import org.jspecify.annotations.NullMarked;
