/** What a driver knows, as values at one moment. */
@NullMarked
package io.holdfast.driver.view;

import org.jspecify.annotations.NullMarked;
