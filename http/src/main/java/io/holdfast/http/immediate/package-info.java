/** Commands that complete without waiting, for requests without a session. */
@NullMarked
package io.holdfast.http.immediate;

import org.jspecify.annotations.NullMarked;
