package io.holdfast.cli.socketlock;

import io.holdfast.engine.QueuePolicy;

/** What a server is told when it starts. */
record PrimaryConfig(QueuePolicy policy, long queueNanos, long confirmNanos) {}
