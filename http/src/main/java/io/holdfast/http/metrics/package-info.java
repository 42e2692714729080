/**
 * Metrics: for Prometheus, and as JSON for the dashboard. Everything is counted elsewhere and only
 * read here.
 */
@NullMarked
package io.holdfast.http.metrics;

import org.jspecify.annotations.NullMarked;
