/** The parts of connections that all protocols share. */
@NullMarked
package io.holdfast.server.connection;

import org.jspecify.annotations.NullMarked;
