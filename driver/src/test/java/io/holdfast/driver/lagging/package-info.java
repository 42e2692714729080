/** A driver for tests of front ends, which must not rely on immediate effects. */
@NullMarked
package io.holdfast.driver.lagging;

import org.jspecify.annotations.NullMarked;
