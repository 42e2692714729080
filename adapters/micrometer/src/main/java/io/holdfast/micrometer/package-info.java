/** Metrics of a client. The only public type is {@link io.holdfast.micrometer.HoldfastMetrics}. */
@NullMarked
package io.holdfast.micrometer;

import org.jspecify.annotations.NullMarked;
