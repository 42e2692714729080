package io.holdfast.client.wire;

import io.holdfast.client.service.AcquireRequest.Kind;

/** What has a line of its own: locks and semaphores of one name do not meet. */
record KindAndKey(Kind kind, String key) {}
