/** What the connections of every protocol share. */
@NullMarked
package io.holdfast.server.connection;

import org.jspecify.annotations.NullMarked;
