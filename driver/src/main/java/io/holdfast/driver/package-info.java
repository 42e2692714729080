/**
 * The interface between front ends and an engine: open a session, submit commands, receive effects,
 * close. Front ends do not depend on the implementation of the driver.
 */
@NullMarked
package io.holdfast.driver;

import org.jspecify.annotations.NullMarked;
