package io.holdfast.cli.socketlock;

import io.holdfast.engine.Policy;

/** What a server is told when it starts. */
record Rules(Policy policy, long queueNanos, long confirmNanos) {}
