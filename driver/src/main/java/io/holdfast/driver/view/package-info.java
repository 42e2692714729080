/** Values that describe the state of a driver at one moment. */
@NullMarked
package io.holdfast.driver.view;

import org.jspecify.annotations.NullMarked;
