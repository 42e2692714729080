/**
 * Shows what happens in numbers: as Prometheus reads them, and as a page draws them. Everything is
 * counted elsewhere and only read here.
 */
@NullMarked
package io.holdfast.http.metrics;

import org.jspecify.annotations.NullMarked;
