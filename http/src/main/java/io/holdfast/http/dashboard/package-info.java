/**
 * Serves the dashboard: a page and its scripts, from the resources of this package. The files
 * contain no data and need no secret; the scripts fetch their data from {@code /v1}.
 */
@NullMarked
package io.holdfast.http.dashboard;

import org.jspecify.annotations.NullMarked;
