/** How a part of a server that serves clients its own way fits into the server. */
@NullMarked
package io.holdfast.driver.frontend;

import org.jspecify.annotations.NullMarked;
