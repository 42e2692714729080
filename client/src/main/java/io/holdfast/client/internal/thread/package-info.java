/** How the client runs tasks and callbacks. Internal; not an API for users. */
@NullMarked
package io.holdfast.client.internal.thread;

import org.jspecify.annotations.NullMarked;
