/**
 * Serves the dashboard: a page and its scripts, as they are in the resources beside this package.
 * They hold no data and need no secret; what they show they ask for under {@code /v1}.
 */
@NullMarked
package io.holdfast.http.dashboard;

import org.jspecify.annotations.NullMarked;
