/** The connection of soak, campaigns and training. */
@NullMarked
package io.holdfast.verification.line;

import org.jspecify.annotations.NullMarked;
