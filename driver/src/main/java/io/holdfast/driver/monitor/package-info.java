/** Monitoring: counters and histograms, the history of keys, and a feed of events. */
@NullMarked
package io.holdfast.driver.monitor;

import org.jspecify.annotations.NullMarked;
