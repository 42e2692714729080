package io.holdfast.client.wire;

import io.holdfast.client.service.Acquisition.Kind;

/** What has a line of its own: locks and semaphores of one name do not meet. */
record LineKey(Kind kind, String key) {}
