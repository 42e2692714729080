package io.holdfast.cli.socketlock;

import io.holdfast.engine.QueuePolicy;

/** The configuration of a socketlock server. */
record PrimaryConfig(QueuePolicy policy, long queueNanos, long confirmNanos) {}
