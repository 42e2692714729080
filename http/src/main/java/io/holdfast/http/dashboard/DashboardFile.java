package io.holdfast.http.dashboard;

import io.vertx.core.buffer.Buffer;

/**
 * A file of the page.
 *
 * @param tag changes with its bytes
 */
record DashboardFile(String type, String tag, Buffer bytes) {}
