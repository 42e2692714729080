/** A node that serves: the driver, the log and the threads between them, put together. */
@NullMarked
package io.holdfast.cluster.bootstrap;

import org.jspecify.annotations.NullMarked;
