package io.holdfast.http.dashboard;

import io.vertx.core.buffer.Buffer;

/**
 * A static file of the dashboard.
 *
 * @param tag the entity tag: a hash of the content
 */
record DashboardFile(String type, String tag, Buffer bytes) {}
