/** Each protocol has a package of its own; what they share is here and beside them. */
@NullMarked
package io.holdfast.protocol;

import org.jspecify.annotations.NullMarked;
