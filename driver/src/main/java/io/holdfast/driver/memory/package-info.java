/**
 * Budgets that state is reserved from before it is created, so that a limit of 0 means as much as
 * memory allows.
 */
@NullMarked
package io.holdfast.driver.memory;

import org.jspecify.annotations.NullMarked;
