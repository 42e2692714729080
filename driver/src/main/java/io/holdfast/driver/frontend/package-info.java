/**
 * The interface between a server and its front ends with their own protocol stack, such as HTTP.
 */
@NullMarked
package io.holdfast.driver.frontend;

import org.jspecify.annotations.NullMarked;
