/** What can be known about what happens: counts, the past of keys, and a feed of events. */
@NullMarked
package io.holdfast.driver.monitor;

import org.jspecify.annotations.NullMarked;
