/** A model of a socketlock lock, and random histories that compare implementations with it. */
@NullMarked
package io.holdfast.cli.socketlock;

import org.jspecify.annotations.NullMarked;
