package io.holdfast.client.internal.wire;

import io.holdfast.client.internal.service.AcquireRequest.Kind;

/** Identifies a queue: a lock and a semaphore with the same key have separate queues. */
record KindAndKey(Kind kind, String key) {}
