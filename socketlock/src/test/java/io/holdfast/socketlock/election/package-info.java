/**
 * Tests of the election of a primary and of the fate of locks when processes start, are suspended
 * and die.
 */
@NullMarked
package io.holdfast.socketlock.election;

import org.jspecify.annotations.NullMarked;
