/** The connection that all tools of this module use for protocols of lines. */
@NullMarked
package io.holdfast.verification.line;

import org.jspecify.annotations.NullMarked;
