/** Questions that are answered at once, for requests without a session. */
@NullMarked
package io.holdfast.http.immediate;

import org.jspecify.annotations.NullMarked;
