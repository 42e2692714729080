/** Who becomes the primary, and what becomes of the locks, when processes start, stop and die. */
@NullMarked
package io.holdfast.client.socketlock.election;

import org.jspecify.annotations.NullMarked;
