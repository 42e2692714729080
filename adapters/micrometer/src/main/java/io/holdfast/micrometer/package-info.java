/** Metrics of a client: {@link io.holdfast.micrometer.HoldfastMetrics} is all there is. */
@NullMarked
package io.holdfast.micrometer;

import org.jspecify.annotations.NullMarked;
