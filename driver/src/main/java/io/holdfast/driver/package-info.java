/**
 * How a front end reaches an engine: open a session, submit commands, receive effects, close. Front
 * ends cannot tell which driver serves them.
 */
@NullMarked
package io.holdfast.driver;

import org.jspecify.annotations.NullMarked;
