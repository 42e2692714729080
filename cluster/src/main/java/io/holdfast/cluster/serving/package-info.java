/** A node that serves: the driver, the log and the threads between them, put together. */
@NullMarked
package io.holdfast.cluster.serving;

import org.jspecify.annotations.NullMarked;
