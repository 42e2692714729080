/** A driver for tests of front ends, which must not count on answers at once. */
@NullMarked
package io.holdfast.driver.lagging;

import org.jspecify.annotations.NullMarked;
